/**
 * This has a GPU put the neighbours that it found along a tree in order, and reads what comes back of such a
 * job: rows and distances, which the host only copies. Only searches of few columns load this module, as part
 * of tree.ts.
 */
import type { DownloadStep, SegmentOutput, Step, Targets } from "../../../runtime/backend.ts";
import { run } from "../../../runtime/primitive.ts";
import { rowAt, rowCount, type BufferSpec, type RowSet } from "../../../runtime/source.ts";
import { NO_ROW } from "../../../distance/order.ts";
import { knnOrderBytes } from "../contract/treeOrder.ts";
import { COUNTER_WORDS, TREE_COUNTERS, type KnnTreeParams } from "../contract/tree.ts";
import { knnOrder } from "../treePrimitives.ts";
import type { KnnProblem } from "./problem.ts";

/** This step copies the k best, which the device has put in order. */
export interface OrderedStep {
  readonly kind: "ordered";
  readonly rows: RowSet;
  readonly lists?: undefined;
}

/** The neighbours of all queries go here, as refine.ts has them. */
export interface Into {
  readonly k: number;
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
  readonly withoutSelf?: boolean;
  readonly asKeys?: boolean;
}

/** These metrics have such keys: says whether a distance is the root of one. */
export const roots: ReadonlyMap<string, boolean> = new Map([
  ["euclidean", true],
  ["sqeuclidean", false],
]);

/**
 * Returns the part that a job has instead of downloads of its lists: where the device evaluates these, all at
 * the end, and knows the last step of the metric.
 */
export function orderedPart(
  { tree, problem }: { readonly tree: KnnTreeParams | undefined; readonly problem: KnnProblem },
  rows: RowSet,
  capacity: number,
  keys: string | undefined,
) {
  const root = roots.get(problem.metric);
  if (!tree?.onGpu || root === undefined || keys !== "intervals") return undefined;
  const params = { capacity, queryRows: rowCount(rows), k: problem.k, root };
  const results = { nearRows: "nearRows", nearDistances: "nearDistances" };
  const bindings = { heads: "heads", candidates: "candidates", keys: "intervals", ...results };
  const sizes = Object.entries(knnOrderBytes(params));
  const steps: Step[] = [
    run(knnOrder, { params, bindings, cost: params.queryRows * capacity }),
    ...downloadOrdered(rows, problem.k),
  ];
  const finish: OrderedStep = { kind: "ordered", rows };
  return { buffers: sizes.map(([name, bytes]): BufferSpec => ({ name, bytes })), steps, finish };
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
 * Returns the memory that neighbours go to as they are: none where one of the k of each query may not count.
 */
export function targetsOf({ k: wanted, indices, distances, withoutSelf }: Into, k: number): Targets {
  if (k !== wanted || withoutSelf) return {};
  return { nearRows: indices, nearDistances: distances };
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
export function collectOrdered(
  { rows }: OrderedStep,
  downloads: Output["downloads"],
  k: number,
  into: Into,
): number {
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

/** Returns what a job brought back under a name, wherever it went. */
function wordsIn({ downloads, placed }: Output, name: string): Uint32Array {
  const { buffer, byteOffset, byteLength } = placed?.get(name) ?? new Uint8Array(downloads.get(name) ?? []);
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}
