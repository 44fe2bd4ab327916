/**
 * This finds exact k-nearest neighbours among rows that lie where they can be fetched from, such as in a
 * file. It is one search, for which a GPU is given the rows as they are and the host keeps none. It takes
 * only searches that a GPU can do alone: the GPU evaluates the metric in float64 and sees that all values are
 * as a sample says, or compares rows of bytes, and takes all queries together while rows come by. For others
 * rows come in chunks (stream.ts).
 */
import { unlessAborted } from "../../core/async/aborted.ts";
import { rowCount, type Sources } from "../../runtime/source.ts";
import { spans } from "../../core/math.ts";
import type { Matrix } from "../../core/matrix.ts";
import { resolveMetric } from "../../distance/anyMetric.ts";
import { fitMetric, queriesFor } from "../../distance/metric.ts";
import type { Metric } from "../../distance/metric.ts";
import type { FetchableRows } from "../../core/fetchable.ts";
import { PreparedRows } from "../../distance/rows/prepare.ts";
import { runYielding, type Yielding } from "../../core/async/yielding.ts";
import type { Device } from "../../runtime/device.ts";
import { Executor } from "../../runtime/execute.ts";
import type { ExecuteOptions, Progress } from "../../runtime/execute.ts";
import { FetchedRows } from "./plan/bytes/fetchedRows.ts";
import { collectRanked, listsOf } from "./refine.ts";
import type { Neighbors } from "./refine.ts";
import { knnProgram } from "./plan/knn.ts";
import type { KnnProblem } from "./plan/problem.ts";
import type { Program } from "../../runtime/program.ts";
import { ratedBy, rateKey } from "./run.ts";
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

/** The rows must come in chunks; of bytes that are in an order these must become float32 at once. */
export type NotPlaced = "in chunks" | "in order";

/**
 * Searches rows where they lie, if one search can. Rows of bytes that come by do so once for each of the
 * largest jobs, which take longer than reading them does.
 */
export async function searchPlaced(
  device: Device,
  train: FetchableRows,
  queries: Matrix,
  options: PlacedSearch,
): Promise<Pick<Neighbors, "indices" | "distances"> | NotPlaced> {
  const { k, signal } = options;
  const { info } = device;
  const ofBytes = byteTypes.has(train.type);
  if (info.kind !== "gpu" || !info.fetches || strideOf(train.cols) !== train.cols) return "in chunks";
  if (train.type !== (ofBytes ? queries.data.constructor : Float32Array)) return "in chunks";
  const fitting = fitPlan(info.kind, { ...train, float32: !ofBytes }, options);
  if (!fitting.refines || (!ofBytes && !fitting.assumes)) return "in chunks";
  const sample = await unlessAborted(sampleOf(train), signal);
  const like = await runYielding(
    ofBytes ? fitBytes(sample, options) : fitAsTheyAre(fitting, sample, options),
    signal,
  );
  if (!like) return "in chunks";
  const metric = resolveMetric(options, like.fitted);
  const matrix = await runYielding(queriesFor(options, sample, queries, undefined), signal);
  const range = await runYielding(findRange(matrix, undefined), signal);
  const into = neighborsInto(matrix.rows, k, undefined);
  const planOf = (asked: Matrix) => {
    const problem = problemOf(train, asked, metric, like, range, options);
    return planKnn(problem, info, options.tiles, device.rates.get(rateKey(metric, train.cols)));
  };
  const run = async (plan: KnnPlan, sources: Sources, found: Neighbors, { onProgress } = options) => {
    const done = await execute(device, plan, metric, sources, found, { ...options, onProgress });
    const key = rateKey(metric, train.cols, undefined, plan.stage?.ofBytes);
    if (done.observed) device.rates.set(key, done.rate);
    return !done.violated && done.todo.length === 0;
  };
  const plan = planOf(matrix);
  const { technique } = plan;
  if (technique.form === "none") return "in chunks";
  if (!ofBytes) {
    if (!technique.refinable || technique.train.on !== "device") return "in chunks";
    const sources = {
      train: new FetchedRows(train, 4),
      queries: new PreparedRows(matrix, technique.queries),
    };
    return (await run(plan, sources, into)) ? into : "in chunks";
  }
  const { isOrdered, withByteRows, MOST_BYTE_QUERIES } = await import("./plan/bytes/rows.ts");
  const rate = device.rates.get(rateKey(metric, train.cols, undefined, true));
  const whole = await withByteRows(plan, train, matrix, device);
  const most = Math.min(options.tiles?.queries ?? Infinity, MOST_BYTE_QUERIES);
  const parts = spans(matrix.rows, whole?.layout?.resident ? matrix.rows : most);
  for (const [i, { begin, end }] of parts.entries()) {
    const some = parts.length > 1 ? rowsOf(matrix, begin, end) : matrix;
    const planned = some === matrix ? whole : await withByteRows(planOf(some), train, some, device);
    if (!planned?.stage) return isOrdered(train) ? "in order" : "in chunks";
    const onProgress = options.onProgress && partly(options.onProgress, i / parts.length, parts.length);
    const found = {
      ...{ k, indices: into.indices.subarray(begin * k, end * k) },
      distances: into.distances.subarray(begin * k, end * k),
    };
    const done = await run(ratedBy(planned, rate), planned.stage.sources, found, { ...options, onProgress });
    if (!done) return isOrdered(train) ? "in order" : "in chunks";
  }
  return into;
}

function rowsOf({ data, cols, ...matrix }: Matrix, begin: number, end: number): Matrix {
  return { ...matrix, data: data.subarray(begin * cols, end * cols), rows: end - begin, cols };
}

/** Reports the progress of one of several searches, before which a share of all was done. */
function partly(report: NonNullable<ExecuteOptions["onProgress"]>, before: number, parts: number) {
  return ({ phase, done, total }: Progress) =>
    report({ phase, done: Math.floor(before * total + done / parts), total });
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
