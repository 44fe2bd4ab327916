/**
 * A GPU that has evaluated candidates, in float64 or float32, may also sort them. This makes the steps of
 * such jobs, and reads what comes back of them: rows and distances, which the host only copies. Searches of
 * many queries load this module as `orders` of a plan, searches along a tree as part of tree.ts, whose counts
 * it reads, too.
 */
import { assert } from "../../../core/errors.ts";
import { spans } from "../../../core/math.ts";
import type { Technique } from "../../../distance/forms/filter.ts";
import { DISPATCH_SECONDS } from "../../../distance/layout.ts";
import type { DownloadStep, SegmentOutput, Step, Targets } from "../../../runtime/backend.ts";
import { run } from "../../../runtime/primitive.ts";
import { rowAt, rowCount, type BufferSpec, type RowSet } from "../../../runtime/source.ts";
import type { Metric } from "../../../distance/metric.ts";
import { NO_ROW } from "../../../distance/order.ts";
import { knnOrderBytes, MOST_RANK_EXPONENT } from "../contract/order.ts";
import { COUNTER_WORDS, TREE_COUNTERS, type KnnTreeParams } from "../contract/tree.ts";
import { knnOrder } from "../treePrimitives.ts";
import type { KnnProblem } from "./problem.ts";

/**
 * Each entry of a list is compared with all others of it, which takes as long as so many multiply-adds each:
 * an estimate, by which no dispatch takes longer than one of a filter. The host sorts longer lists.
 */
const COMPARE_COST = 16;
const LONGEST_LIST = 2048;

/**
 * Reads the neighbours of the queries of a job, which the device has put in order. Where it gives other
 * events their turn, it heeds the signal.
 * @param k so many neighbours of a query were found: one more where it is one of them and does not count
 * @returns the number of pairs evaluated in float64
 */
export type Collect = (
  rows: RowSet,
  downloads: ReadonlyMap<string, ArrayBuffer>,
  k: number,
  into: Into,
  metric: Metric,
  signal?: AbortSignal,
) => number | Promise<number>;

/** This step copies the k best, which the device has put in order. */
export interface OrderedStep {
  readonly kind: "ordered";
  readonly rows: RowSet;
  readonly lists?: undefined;
  readonly collect: Collect;
}

/** The neighbours of all queries go here, as refine.ts has them. */
export interface Into {
  readonly k: number;
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
  readonly withoutSelf?: boolean;
  readonly asKeys?: boolean;
}

/** A GPU knows the last step of these metrics: says whether a distance is the root of its key. */
export const roots: ReadonlyMap<string, boolean> = new Map([
  ["euclidean", true],
  ["sqeuclidean", false],
]);

/** These parts of a plan decide whether a device puts neighbours in order. */
interface Ordering {
  readonly tree: KnnTreeParams | undefined;
  readonly problem: KnnProblem;
  readonly technique: Technique;
  readonly rate: number;
}

/** Returns how many bytes a query takes for its neighbours in order, where the device evaluates its list. */
export function orderBytes(plan: Ordering, capacity: number): number {
  const { technique, problem } = plan;
  const evaluated = technique.form !== "none" && technique.refinable;
  if (!isOrdered(plan, capacity, evaluated || problem.precision === "float32")) return 0;
  const { nearRows, nearDistances } = knnOrderBytes({ queryRows: 1, k: problem.k });
  return nearRows + nearDistances;
}

/**
 * Tells whether the device sorts lists of that capacity. It has their keys, by evaluation or since they are
 * points, and knows the last step of the metric. A list that is replayed, or that began with bounds, is none
 * of k neighbours.
 */
function isOrdered({ tree, problem, technique }: Ordering, capacity: number, hasKeys: boolean): boolean {
  const { metric, keepAll, bounded, precision } = problem;
  if (!hasKeys || !roots.has(metric)) return false;
  if (precision === "float32" && (tree || !hasDistances(technique))) return false;
  return tree ? tree.onGpu === true : capacity <= LONGEST_LIST && !keepAll && !bounded;
}

/** Tells whether the device makes distances of float32 values. */
function hasDistances(technique: Technique): boolean {
  const exponent = technique.form === "none" ? NaN : technique.rankExponent;
  return Number.isInteger(exponent) && Math.abs(exponent) <= MOST_RANK_EXPONENT;
}

/**
 * Returns the part that a job has instead of downloads of its lists; undefined where the host sorts them.
 * @param keys the buffer of what the device evaluated: in float32, the intervals
 */
export function orderedPart(plan: Ordering, rows: RowSet, capacity: number, keys: string | undefined) {
  if (!isOrdered(plan, capacity, keys !== undefined)) return undefined;
  const { tree, problem, technique, rate } = plan;
  const { k, metric, precision } = problem;
  const isPoint = precision === "float32";
  const rankExponent = isPoint && technique.form !== "none" ? technique.rankExponent : undefined;
  const queryRows = rowCount(rows);
  const cost = capacity ** 2 * COMPARE_COST;
  const most = Math.max(1, Math.floor((rate * DISPATCH_SECONDS) / cost));
  const each = { capacity, k, root: roots.get(metric)!, rankExponent };
  const results = { nearRows: "nearRows", nearDistances: "nearDistances" };
  const order = spans(queryRows, most).map(({ begin, end }) =>
    run(knnOrder, {
      params: { ...each, queryBegin: begin, queryRows: end - begin },
      bindings: { heads: "heads", candidates: "candidates", keys: keys!, ...results },
      cost: (end - begin) * cost,
    }),
  );
  const steps: Step[] = [
    ...order,
    ...(tree ? [] : [{ kind: "download", from: "heads", bytes: queryRows * 8 } as const]),
    ...downloadOrdered(rows, k),
  ];
  const collect: Collect = (some, downloads, found, into) => {
    const pairs = collectOrdered(some, downloads, found, into) + listedIn(downloads, capacity, found);
    return isPoint ? 0 : pairs; // points are not evaluated in float64
  };
  const finish: OrderedStep = { kind: "ordered", rows, collect };
  const buffers = Object.entries(knnOrderBytes({ queryRows, k })).map(([name, bytes]): BufferSpec => ({
    name,
    bytes,
  }));
  return { buffers, steps, finish };
}

/** Makes the steps that bring back the neighbours of some queries, of which each has k. */
export function downloadOrdered(rows: RowSet, k: number): DownloadStep[] {
  const sizeOf = (queryRows: number) => Object.entries(knnOrderBytes({ queryRows, k }));
  const before = "begin" in rows && new Map(sizeOf(rows.begin));
  return sizeOf(rowCount(rows)).map(([from, bytes]) => ({
    ...({ kind: "download", from, bytes } as const),
    ...(before && { target: { name: from, at: before.get(from)! } }),
  }));
}

/**
 * Returns the memory that neighbours go to as they are: none where one of the k of each query may not count,
 * or the caller has none.
 */
export function targetsOf(into: Into | undefined, k: number): Targets {
  if (!into || k !== into.k || into.withoutSelf) return {};
  return { nearRows: into.indices, nearDistances: into.distances };
}

/** This step brings back the counts of a search along a tree. */
export const downloadCounters = {
  kind: "download",
  from: "tree.scratch",
  bytes: COUNTER_WORDS * 4,
} as const;

type Output = Pick<SegmentOutput, "downloads" | "placed">;

/** Returns the counts of a search along a tree. */
export function countersOf(downloads: Output["downloads"]) {
  const words = new Uint32Array(downloads.get("tree.scratch") ?? new ArrayBuffer(COUNTER_WORDS * 4));
  const [unlisted, listed, low, high] = words.subarray(TREE_COUNTERS);
  return { unlisted, listed, visited: low + high * 2 ** 32 };
}

/**
 * Returns the counts of the lists that overflowed or are unfinished, and 0 for the others; an empty array
 * where there is none.
 */
export function unlistedCounts(rows: RowSet, output: Output, k: number): Uint32Array {
  const counts = new Uint32Array(countersOf(output.downloads).unlisted && rowCount(rows));
  const [indices, words] = ["nearRows", "nearDistances"].map((name) => wordsIn(output, name));
  for (let i = 0; i < counts.length; i++) if (indices[i * k] === NO_ROW) counts[i] = words[2 * i * k];
  return counts;
}

/**
 * Copies the k best of each query into `into`, unless they went there by themselves. What comes of unlisted
 * queries a later job overwrites.
 * @param k the neighbours of a query that were found: one more where it is one of them and does not count
 * @returns the number of pairs that the device evaluated
 */
export function collectOrdered(rows: RowSet, downloads: Output["downloads"], k: number, into: Into): number {
  const indices = new Uint32Array(downloads.get("nearRows") ?? []);
  const distances = new Float64Array(downloads.get("nearDistances") ?? []);
  for (let i = 0; i < indices.length / k; i++) {
    const query = rowAt(rows, i);
    let to = query * into.k;
    for (let at = i * k; to < (query + 1) * into.k && at < (i + 1) * k; at++) {
      if (into.withoutSelf && indices[at] === query) continue;
      into.indices[to] = indices[at];
      into.distances[to++] = distances[at];
    }
  }
  return countersOf(downloads).listed;
}

/**
 * Counts the entries of the lists of a job, each of at least k, that did not overflow: none along a tree,
 * which counts itself.
 */
function listedIn(downloads: Output["downloads"], capacity: number, k: number): number {
  const heads = new Uint32Array(downloads.get("heads") ?? []);
  let sum = 0;
  for (let at = 0; at < heads.length; at += 2) {
    if (heads[at] > capacity) continue;
    assert(heads[at] >= k, `a list has ${heads[at]} of ${k} candidates`);
    sum += heads[at];
  }
  return sum;
}

/** Returns what a job brought back under a name, wherever it went. */
function wordsIn({ downloads, placed }: Output, name: string): Uint32Array {
  const { buffer, byteOffset, byteLength } = placed?.get(name) ?? new Uint8Array(downloads.get(name) ?? []);
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}
