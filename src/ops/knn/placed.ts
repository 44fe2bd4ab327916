/**
 * This finds exact k-nearest neighbours among rows that lie where they can be fetched from, such as in a
 * file. It is one search, for which a GPU is given the rows as they are and the host keeps none. It takes
 * only searches that a GPU can do alone: the GPU evaluates the metric in float64 and sees that all values are
 * as a sample says, or compares rows of bytes, and takes all queries together while rows come by. For others
 * rows come in chunks (stream.ts).
 */
import { unlessAborted } from "../../core/async/aborted.ts";
import { rowCount, type Sources } from "../../runtime/source.ts";
import type { Matrix } from "../../core/matrix.ts";
import { resolveMetric } from "../../distance/anyMetric.ts";
import { fitMetric, queriesFor } from "../../distance/metric.ts";
import type { Metric } from "../../distance/metric.ts";
import type { FetchableRows } from "../../core/fetchable.ts";
import { PreparedRows } from "../../distance/rows/prepare.ts";
import { runYielding, type Yielding } from "../../core/async/yielding.ts";
import type { Device } from "../../runtime/device.ts";
import { Executor } from "../../runtime/execute.ts";
import type { ExecuteOptions } from "../../runtime/execute.ts";
import { FetchedRows } from "./plan/bytes/fetchedRows.ts";
import { collectRanked, listsOf } from "./refine.ts";
import type { Neighbors } from "./refine.ts";
import { knnProgram } from "./plan/knn.ts";
import type { KnnProblem } from "./plan/problem.ts";
import type { Program } from "../../runtime/program.ts";
import { rateKey } from "./run.ts";
import type { KnnOptions } from "./options.ts";
import { neighborsInto } from "./arguments.ts";
import { fitAsTheyAre, type Fit } from "../../distance/fit.ts";
import { fitPlan } from "../../distance/fitPlan.ts";
import { findRange, type Range } from "../../distance/rows/range.ts";
import { strideOf } from "../../distance/rows/preparation.ts";
import { planKnn } from "./plan/start.ts";
import type { KnnJob, KnnPlan } from "./plan/knnPlan.ts";

export interface PlacedSearch extends KnnOptions, ExecuteOptions {
  readonly k: number;
  /** The phase in progress has this name, and is reported in rows of train. */
  readonly phase: string;
}

/**
 * Searches rows where they lie, if one search can.
 * @returns undefined where the rows must come in chunks
 */
export async function searchPlaced(
  device: Device,
  train: FetchableRows,
  queries: Matrix,
  options: PlacedSearch,
): Promise<Pick<Neighbors, "indices" | "distances"> | undefined> {
  const { k, signal } = options;
  const { info } = device;
  const ofBytes = byteTypes.has(train.type);
  if (info.kind !== "gpu" || !info.fetches || strideOf(train.cols) !== train.cols) return undefined;
  if (!ofBytes && train.type !== Float32Array) return undefined;
  const fitting = fitPlan(info.kind, { ...train, float32: !ofBytes }, options);
  if (!fitting.refines || (!ofBytes && !fitting.assumes)) return undefined;
  const sample = await unlessAborted(sampleOf(train), signal);
  const like = await runYielding(
    ofBytes ? fitBytes(sample, options) : fitAsTheyAre(fitting, sample, options),
    signal,
  );
  if (!like) return undefined;
  const metric = resolveMetric(options, like.fitted);
  const matrix = await runYielding(queriesFor(options, sample, queries, undefined), signal);
  const range = await runYielding(findRange(matrix, undefined), signal);
  const problem = problemOf(train, matrix, metric, like, range, options);
  const key = rateKey(metric, train.cols);
  const plan = planKnn(problem, info, options.tiles, device.rates.get(key));
  if (plan.technique.form === "none") return undefined;
  const into = neighborsInto(matrix.rows, k, undefined);
  const run = async (planned: KnnPlan, sources: Sources) => {
    const done = await execute(device, planned, metric, sources, into, options);
    if (done.observed) device.rates.set(key, done.rate);
    return done.violated || done.todo.length > 0 ? undefined : into;
  };
  if (ofBytes) {
    const { withByteRows } = await import("./plan/bytes/rows.ts");
    const planned = await withByteRows(plan, train, matrix, device);
    return planned?.stage && run(planned, planned.stage.sources);
  }
  if (!plan.technique.refinable || plan.technique.train.on !== "device") return undefined;
  return run(plan, {
    train: new FetchedRows(train, 4),
    queries: new PreparedRows(matrix, plan.technique.queries),
  });
}

const byteTypes: ReadonlySet<unknown> = new Set([Uint8Array, Int8Array]);

/** Returns what is known of bytes, all of which are numbers, whatever a sample has. */
function* fitBytes(sample: Matrix, options: KnnOptions): Yielding<Pick<Fit, "fitted" | "range">> {
  const fitted = yield* fitMetric(options, sample);
  return { fitted, range: { largest: 255, exact: true, single: true } };
}

const SAMPLE_PLACES = 64;
const SAMPLE_ROWS = 16;

/** Fetches a few rows at each of several places, evenly spread. */
async function sampleOf({ rows, cols, type, fetch }: FetchableRows): Promise<Matrix> {
  const each = Math.min(rows, SAMPLE_ROWS);
  const places = Math.min(SAMPLE_PLACES, Math.floor(rows / each));
  const data = new (type as Float32ArrayConstructor | Uint8ArrayConstructor)(places * each * cols);
  const bytes = each * cols * data.BYTES_PER_ELEMENT;
  const fetched = Array.from({ length: places }, (_, i) => {
    const row = Math.floor((i * rows) / places);
    return fetch(new Uint8Array(data.buffer, i * bytes, bytes), row * cols * data.BYTES_PER_ELEMENT);
  });
  await Promise.all(fetched);
  return { data, rows: places * each, cols };
}

function problemOf(
  train: FetchableRows,
  queries: Matrix,
  { name, p }: Metric,
  { fitted, range }: Pick<Fit, "fitted" | "range">,
  queryRange: Range,
  { k, ...options }: PlacedSearch,
): KnnProblem {
  return {
    trainRows: train.rows,
    queryRows: queries.rows,
    cols: train.cols,
    k,
    metric: name,
    p,
    options,
    fitted,
    precision: "float64",
    centre: undefined,
    train: range,
    queries: queryRange,
  };
}

/**
 * Makes the program. It ends with work left rather than read all rows for a part of the queries, or leave
 * candidates to the host, or make float32 of bytes; lists that overflow are searched again together, for
 * which all rows are read once more. Its units are rows, of which every query has a share.
 */
function programOf(phase: string, ofBytes: boolean): Program<KnnPlan, KnnJob> {
  return {
    ...knnProgram,
    phase,
    unitsLeft: (plan) => inRows(plan, knnProgram.unitsLeft(plan)),
    nextJob(plan) {
      if (ofBytes && !plan.stage) return undefined;
      const job = knnProgram.nextJob(plan);
      if (!job || job.probe) return job;
      const evaluated = ofBytes || (job.finish.kind === "refine" && job.finish.lists?.keys !== undefined);
      const together = plan.layout?.resident === true || job.units === rowCount(plan.todo[0].rows);
      return evaluated && together ? { ...job, units: inRows(plan, job.units) } : undefined;
    },
  };
}

function inRows({ problem }: KnnPlan, queries: number): number {
  return Math.ceil((queries / problem.queryRows) * problem.trainRows);
}

async function execute(
  device: Device,
  plan: KnnPlan,
  metric: Metric,
  sources: Sources,
  into: Neighbors,
  { phase, signal, onProgress }: PlacedSearch,
): Promise<KnnPlan> {
  const executor = new Executor(device);
  try {
    return await executor.execute(
      programOf(phase, plan.stage !== undefined),
      plan,
      sources,
      ({ finish }, downloads) => {
        if (finish.kind === "ordered") plan.stage?.collect?.(finish, downloads, into.k, into, metric);
        const lists = listsOf(finish, downloads); // a probe has none
        if (lists) collectRanked(metric, finish.rows, lists, into);
        return Promise.resolve();
      },
      { signal, onProgress },
    );
  } finally {
    executor.dispose();
  }
}
