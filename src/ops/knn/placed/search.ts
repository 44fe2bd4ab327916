/**
 * This finds exact k-nearest neighbours among rows that lie where they can be fetched from, such as in a
 * file. It is one search, for which a GPU is given the rows as they are and the host keeps none. It takes
 * only searches that a GPU can do alone: the GPU evaluates the metric in float64 and sees that all values are
 * as a sample says, or compares rows of bytes, and takes all queries together while rows come by. For others
 * rows come in chunks (stream.ts).
 */
import type { FetchableRows } from "../../../core/fetchable.ts";
import { spans } from "../../../core/math.ts";
import type { Matrix } from "../../../core/matrix.ts";
import { PreparedRows } from "../../../distance/rows/prepare.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import type { Device } from "../../../runtime/device.ts";
import type { ExecuteOptions, Progress } from "../../../runtime/execute.ts";
import type { Sources } from "../../../runtime/source.ts";
import { neighborsInto } from "../arguments.ts";
import { FetchedRows } from "../plan/bytes/fetchedRows.ts";
import type { KnnPlan } from "../plan/knnPlan.ts";
import type { Neighbors } from "../refine.ts";
import { ratedBy, rateKey } from "../rates.ts";
import { fitPlaced, planOf, type Placed, type PlacedSearch } from "./fit.ts";
import { execute } from "./program.ts";

/** The rows must come in chunks; of bytes that are in an order these must become float32 at once. */
export type NotPlaced = "in chunks" | "in order";

const byteTypes: ReadonlySet<unknown> = new Set([Uint8Array, Int8Array]);

/** Searches rows where they lie, if one search can. */
export async function searchPlaced(
  device: Device,
  train: FetchableRows,
  queries: Matrix,
  options: PlacedSearch,
): Promise<Pick<Neighbors, "indices" | "distances"> | NotPlaced> {
  const { info } = device;
  const ofBytes = byteTypes.has(train.type);
  if (info.kind !== "gpu" || !info.fetches || strideOf(train.cols) !== train.cols) return "in chunks";
  if (train.type !== (ofBytes ? queries.data.constructor : Float32Array)) return "in chunks";
  const placed = await fitPlaced(device, train, queries, ofBytes, options);
  if (!placed) return "in chunks";
  const into = neighborsInto(placed.queries.rows, options.k, undefined);
  const refusal = await (ofBytes ? searchBytes(placed, into) : searchFloats(placed, into));
  return refusal ?? into;
}

/** Searches rows of float32 once for all queries. @returns why it cannot; undefined when it has */
async function searchFloats(placed: Placed, into: Neighbors): Promise<NotPlaced | undefined> {
  const { train, queries, options } = placed;
  const plan = planOf(placed, queries);
  const { technique } = plan;
  if (technique.form === "none" || !technique.refinable || technique.train.on !== "device")
    return "in chunks";
  const sources = {
    train: new FetchedRows(train, 4),
    queries: new PreparedRows(queries, technique.queries),
  };
  return (await finds(placed, plan, sources, into, options.onProgress)) ? undefined : "in chunks";
}

/**
 * Searches rows of bytes. Rows that come by do so once for each of the largest jobs, which take longer than
 * reading them does.
 * @returns why it cannot; undefined when it has
 */
async function searchBytes(placed: Placed, into: Neighbors): Promise<NotPlaced | undefined> {
  const { device, train, queries, metric, options } = placed;
  const { k, onProgress } = options;
  const { byteRowsPlan } = await import("../ahead/byteRows.ts");
  const { isOrdered, MOST_BYTE_QUERIES } = await import("../plan/bytes/rows.ts");
  const refusal = () => (isOrdered(train) ? "in order" : "in chunks");
  const planned = (some: Matrix) => byteRowsPlan(planOf(placed, some), train, some, device);
  const rate = device.rates.get(rateKey(metric, train.cols, undefined, "bytes"));
  const whole = await planned(queries);
  if (!whole) return refusal();
  const most = Math.min(options.tiles?.queries ?? Infinity, MOST_BYTE_QUERIES);
  const parts = spans(queries.rows, whole.layout?.resident ? queries.rows : most);
  for (const [i, { begin, end }] of parts.entries()) {
    const plan = parts.length > 1 ? await planned(rowsOf(queries, begin, end)) : whole;
    if (!plan?.stage) return refusal();
    const { sources } = plan.stage;
    const found = {
      ...{ k, indices: into.indices.subarray(begin * k, end * k) },
      distances: into.distances.subarray(begin * k, end * k),
    };
    const report = onProgress && partly(onProgress, i / parts.length, parts.length);
    if (!(await finds(placed, ratedBy(plan, rate), sources, found, report))) return refusal();
  }
  return undefined;
}

/** Runs a plan. @returns whether it found all neighbours */
async function finds(
  { device, train, metric, options }: Placed,
  plan: KnnPlan,
  sources: Sources,
  into: Neighbors,
  onProgress: PlacedSearch["onProgress"],
): Promise<boolean> {
  const done = await execute(device, plan, metric, sources, into, { ...options, onProgress });
  const key = rateKey(metric, train.cols, undefined, plan.stage?.rated);
  if (done.observed) device.rates.set(key, done.rate);
  return !done.violated && done.todo.length === 0;
}

function rowsOf({ data, cols, ...matrix }: Matrix, begin: number, end: number): Matrix {
  return { ...matrix, data: data.subarray(begin * cols, end * cols), rows: end - begin, cols };
}

/** Reports the progress of one of several searches, before which a share of all was done. */
function partly(report: NonNullable<ExecuteOptions["onProgress"]>, before: number, parts: number) {
  return ({ phase, done, total }: Progress) =>
    report({ phase, done: Math.floor(before * total + done / parts), total });
}
