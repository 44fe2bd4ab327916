/**
 * This runs a k-NN search of fitted training rows: it plans the search, has it executed, and explains it. The
 * caller, which searches for neighbours (knnIndex.ts) or for what may enter a heap (heapSearch.ts), brings
 * the program and the host's part of its jobs.
 */
import { unlessAborted } from "../../core/async/aborted.ts";
import { clamp } from "../../core/math.ts";
import type { Matrix } from "../../core/matrix.ts";
import { DIRECT_COLUMNS } from "../../distance/forms/forms.ts";
import type { FittedRows, Mixing, PairCall } from "../../distance/fittedRows.ts";
import type { Filter } from "../../distance/forms/filter.ts";
import type { ExecuteOptions } from "../../runtime/execute.ts";
import type { Program } from "../../runtime/program.ts";
import type { SharedQueries, KnnOptions } from "./options.ts";
import { explainKnn } from "./plan/explain.ts";
import type { KnnExplanation } from "./plan/explain.ts";
import type { KnnJob, KnnPlan } from "./plan/knnPlan.ts";
import type { Into } from "./plan/order.ts";
import { inRanks } from "./plan/seedSteps.ts";
import type { KnnProblem } from "./plan/problem.ts";
import { planKnn } from "./plan/start.ts";
import { fastRate, ratedBy, rateKey, type Rated } from "./rates.ts";

/** One search takes these parameters. */
export interface KnnCall {
  readonly queries: Matrix;
  /** The plan has this k: one more where each query is a row that does not count. */
  readonly k: number;
  readonly keepAll?: boolean | undefined;
  readonly program: Program<KnnPlan, KnnJob>;
  /** Neighbours that the device has put in order may go here at once. */
  readonly into?: Into | undefined;
  /** Does the host's part of a job. @returns the number of pairs it evaluated in float64 */
  readonly finish: (
    plan: KnnPlan,
    job: KnnJob,
    downloads: ReadonlyMap<string, ArrayBuffer>,
  ) => Promise<number>;
}

/**
 * A GPU takes kernels for few queries by itself for at most this many, of so many neighbours together, since
 * the host evaluates their candidates (plan/few.ts). A single query has them whatever its k.
 */
const FEW_QUERIES = 32;
const FEW_NEIGHBOURS = 320;
/** It takes them for at most this many where it is told to. */
const MOST_FEW_QUERIES = 64;
/**
 * From this many queries on a GPU puts neighbours in order, and for those of fewer a first search need not
 * wait for two more shaders. ahead/laterSearches.ts compiles them for as many.
 */
const WORTH_ORDERING = 1024;
/** From this many multiply-adds on a GPU may gain by bytes. */
const WORTH_A_LOOK = 2 ** 32;

let keeping: typeof import("./ahead/keptPlan.ts") | undefined;

/**
 * Plans a search and has it executed.
 * @returns how the search was done
 */
export async function runKnn(
  fitted: FittedRows<KnnOptions>,
  { queries, k, keepAll, program, into, finish }: KnnCall,
  options: ExecuteOptions,
  asked?: SharedQueries,
): Promise<KnnExplanation> {
  const start = performance.now();
  const { device, train } = fitted;
  const { kind } = device.info;
  device.takeStages();
  const bounds = asked?.before && (await import("./plan/bounds.ts"));
  const before = asked?.before && inRanks(asked.before, fitted.metricFor(queries));
  const more = { k, keepAll, bounded: !!before, evaluators: device.workerThreads };
  let refinedPairs = 0;
  let mixed: Mixing | undefined;
  const call: PairCall<KnnPlan, KnnJob> = {
    queries,
    program,
    async plan(problem, mixing) {
      mixed = mixing;
      // A plan may wait for a survey of train or for a device's rate, which an abort does not wait for.
      const search = (asked: KnnProblem) =>
        unlessAborted(planSearch(fitted, asked, queries, mixing), options.signal);
      const asked = { ...problem, ...more };
      if (kind !== "gpu" || mixing || keepAll || before) return search(asked);
      const begin = async (plan: KnnPlan) =>
        (await import("./ahead/withoutWait.ts")).withoutWait(fitted, plan, program.nextJob);
      if (queries.rows > FEW_QUERIES) return begin(await search(asked));
      // One query takes an H200 so little time that to import again would take a share of it.
      keeping ??= await import("./ahead/keptPlan.ts");
      return keeping.keptPlan(fitted, asked, queries, search, begin, program.nextJob);
    },
    begin(plan, sides) {
      refinedPairs = 0;
      return {
        sources: {
          ...plan.stage?.sources,
          ...plan.stage?.sourcesOf?.(sides),
          ...plan.trees?.sources(sides, train, queries),
          ...(before && bounds?.boundsSource(before, queries.rows, (plan.technique as Filter).rankExponent)),
        },
        targets: (plan.trees ?? plan.orders)?.targetsOf(into, k),
        finish: async (job, downloads) => {
          const pairs = await finish(plan, job, downloads);
          device.countHostWork(pairs);
          refinedPairs += pairs;
        },
      };
    },
  };
  const done = await fitted.run(call, options, asked);
  if (done.stage?.gaveUp || (queries.rows <= FEW_QUERIES && done.runLog.halved)) fitted.failures++;
  const of = done.tree?.onGpu ? "tree" : done.stage?.rated;
  if (done.observed && !done.keepsTree)
    device.rates.set(rateKey(fitted.metric, train.cols, mixed, of), done.rate);
  return explainKnn(done, {
    refinedPairs,
    peakDeviceBytes: device.counters.peakBytes,
    ms: performance.now() - start,
    note: device.note,
    stages: device.takeStages(),
  });
}

/** Plans a search of fitted rows, with what comes before float32. */
export async function planSearch(
  { device, train, metric, options }: FittedRows<KnnOptions>,
  problem: KnnProblem,
  queries: Matrix,
  mixing?: Mixing,
  tiles = options.tiles,
): Promise<KnnPlan> {
  const trees = (tiles?.tree ?? train.cols <= DIRECT_COLUMNS) ? await import("./plan/tree.ts") : undefined;
  const rateOf = (of?: Rated) => device.rates.get(rateKey(metric, train.cols, mixing, of));
  const { kind, software } = device.info;
  const onGpu = kind === "gpu";
  const orders =
    onGpu && (tiles?.orders ?? (!software && queries.rows >= WORTH_ORDERING))
      ? await import("./plan/order.ts")
      : undefined;
  const rate = rateOf() ?? fastRate(rateOf("few"));
  const plan = { ...planKnn(problem, device.info, tiles, rate, mixing, trees), orders };
  if (plan.tree?.onGpu) return plan.keepsTree ? plan : ratedBy(plan, rateOf("tree"));
  if (onGpu && train.data.BYTES_PER_ELEMENT + queries.data.BYTES_PER_ELEMENT === 2) {
    const { byteRowsPlan } = await import("./ahead/byteRows.ts");
    const ofBytes = await byteRowsPlan(plan, train, queries, device);
    if (ofBytes) return ratedBy(ofBytes, rateOf("bytes"));
  }
  const stages = !onGpu
    ? await import("./plan/sketch.ts")
    : queries.rows <= (tiles?.few ? MOST_FEW_QUERIES : mostFew(problem.k)) && !tiles?.bytes
      ? await import("./plan/few.ts")
      : (tiles?.bytes ?? queries.rows * train.rows * train.cols > WORTH_A_LOOK) &&
        (await import("./ahead/bytesFirst.ts"));
  const staged = stages ? await stages.withStage(plan, { train, queries, device }) : plan;
  return staged.stage?.rated ? ratedBy(staged, rateOf(staged.stage.rated)) : staged;
}

/** Returns for how many queries a GPU takes kernels for few by itself. */
export function mostFew(k: number): number {
  return clamp(Math.floor(FEW_NEIGHBOURS / k), 1, FEW_QUERIES);
}
