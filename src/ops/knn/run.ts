/**
 * This runs a k-NN search of fitted training rows: it plans the search, has it executed, and explains it. The
 * caller, which searches for neighbours (knnIndex.ts) or for what may enter a heap (heapSearch.ts), brings
 * the program and the host's part of its jobs.
 */
import { clamp, exponentOf, twoTo } from "../../core/math.ts";
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
/** From this many queries on a GPU puts neighbours in order; the host sorts those of fewer as fast. */
const WORTH_ORDERING = 1024;
/** From this many multiply-adds on a GPU may gain by bytes. */
const WORTH_A_LOOK = 2 ** 32;
/** Larger and smaller values are at the ends of what float64 holds. */
const MOST_EXPONENT = 500;
/** With rows at most this many plans are kept for searches that ask alike. */
const MOST_KEPT = 64;

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
    plan(problem, mixing) {
      mixed = mixing;
      const asked = { ...problem, ...more };
      const isPlain = !mixing && !keepAll && !before;
      const { nextJob } = program;
      if (isPlain && kind === "gpu" && queries.rows <= FEW_QUERIES)
        return planFew(fitted, asked, queries, nextJob);
      const planned = planSearch(fitted, asked, queries, mixing);
      return isPlain ? planned.then((plan) => withoutWait(fitted, plan, nextJob)) : planned;
    },
    begin(plan, sides) {
      refinedPairs = 0;
      return {
        sources: {
          ...plan.stage?.sources,
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

/**
 * Returns the plan of a search of few queries, which is planned once for all that ask alike: a device takes
 * less time for it than a plan does. Their values count as large as a power of two that none exceeds, and a
 * rate asks alike within one, since each search corrects it. Searches of bytes among bytes are not kept.
 */
async function planFew(
  fitted: FittedRows<KnnOptions>,
  problem: KnnProblem,
  queries: Matrix,
  nextJob: Program<KnnPlan, KnnJob>["nextJob"],
): Promise<KnnPlan> {
  const { device, metric, train, plans } = fitted;
  const { largest, ...range } = problem.queries;
  const exponent = exponentOf(largest);
  if (!(Math.abs(exponent) < MOST_EXPONENT)) return planSearch(fitted, problem, queries);
  const { budgetBytes, bufferBytes } = device.info;
  const rates = (["", "bytes", "few", "tree"] as const).map((of) =>
    device.rates.get(rateKey(metric, train.cols, undefined, of)),
  );
  const { exact, single } = range;
  const { largest: most, assumed } = problem.train;
  const asked = [problem.k, queries.rows, queries.data.constructor.name, exponent, exact, single];
  const about = rates.map((rate) => rate && exponentOf(rate));
  const key = [...asked, most, assumed, about, budgetBytes, bufferBytes].join();
  const kept = plans.get(key);
  if (kept) return kept as KnnPlan;
  const rounded = { ...problem, queries: { ...range, largest: twoTo(exponent) } };
  const plan = await planSearch(fitted, rounded, queries);
  const begun = await withoutWait(fitted, plan, nextJob);
  if (plans.size >= MOST_KEPT) plans.clear();
  // A stage with sources may hold these very queries.
  if (begun === plan && Object.keys(plan.stage?.sources ?? {}).length === 0) plans.set(key, plan);
  return begun;
}

/** Returns the plan, or one of the same search that begins without a wait for a driver. */
async function withoutWait(
  { device: { backend }, options }: FittedRows<KnnOptions>,
  plan: KnnPlan,
  nextJob: Program<KnnPlan, KnnJob>["nextJob"],
): Promise<KnnPlan> {
  const { device, layout, tree } = plan;
  const mayWait = backend.isCompiled && (options.tiles?.few ?? !device.software);
  if (!mayWait || !layout?.resident || tree) return plan;
  const { begun } = await import("./plan/meanwhile.ts");
  return begun(plan, nextJob, backend);
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
  const any = planKnn(problem, device.info, tiles, rateOf() ?? fastRate(rateOf("few")), mixing, trees);
  if (any.tree?.onGpu) return any.keepsTree ? any : ratedBy(any, rateOf("tree"));
  const { software } = device.info;
  const onGpu = device.info.kind === "gpu";
  const orders =
    onGpu && (tiles?.orders ?? (!software && queries.rows >= WORTH_ORDERING))
      ? await import("./plan/order.ts")
      : undefined;
  const plan = { ...any, orders };
  if (onGpu && train.data.BYTES_PER_ELEMENT + queries.data.BYTES_PER_ELEMENT === 2) {
    const { withByteRows } = await import("./plan/bytes/rows.ts");
    const ofBytes = await withByteRows(plan, train, queries, device);
    if (ofBytes) return ratedBy(ofBytes, rateOf("bytes"));
  }
  const stages = !onGpu
    ? await import("./plan/sketch.ts")
    : queries.rows <= (tiles?.few ? MOST_FEW_QUERIES : mostFew(problem.k)) && !tiles?.bytes
      ? await import("./plan/few.ts")
      : (tiles?.bytes ?? queries.rows * train.rows * train.cols > WORTH_A_LOOK) &&
        (await import("./plan/bytes/choose.ts"));
  const staged = stages ? await stages.withStage(plan, { train, queries, device }) : plan;
  return staged.stage?.rated ? ratedBy(staged, rateOf(staged.stage.rated)) : staged;
}

/** Returns for how many queries a GPU takes kernels for few by itself. */
export function mostFew(k: number): number {
  return clamp(Math.floor(FEW_NEIGHBOURS / k), 1, FEW_QUERIES);
}
