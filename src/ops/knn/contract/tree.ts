/**
 * These are the contracts of `knn.tree` and `knn.treeFilter`: a tree of boxes over the references for few
 * columns, and the filter that visits only those of its leaves which may hold a neighbour.
 *
 * The tree is complete: it has 2^levels leaves, node 1 is the root, nodes 2i and 2i + 1 are the children of
 * node i, and the leaves come last. On a CPU leaf i holds the references [floor(i n / 2^levels), floor((i +
 * 1) n / 2^levels)) of the order that the splits make, in `leafRows` places of which the last may be empty. A
 * GPU has trees for up to three columns, whose leaves hold at most LEAF_POINTS on average. Runs of them
 * (treeRuns.ts) begin where words behind the points say; the leaves of a run share its points evenly.
 */
import { ceilDiv } from "../../../core/math.ts";
import { treeRuns } from "./treeRuns.ts";
import type { KnnFilterBinding, KnnFilterParams } from "./filter.ts";

/** These cores sum direct differences over the columns; see KnnFilterParams. */
export type TreeCore = "l2" | "l1" | "linf";

export interface KnnTreeParams {
  readonly rows: number;
  readonly cols: number;
  /** A row begins this many float32 after the one before. */
  readonly stride: number;
  readonly levels: number;
  /** True asks for the tree of a GPU. */
  readonly onGpu?: true;
  /**
   * The references lie in the order of the cells of a uniform grid, which has this many along each column;
   * that of the first column is fastest. By default they lie as the splits or the halvings make it.
   */
  readonly cells?: number;
}

/**
 * A leaf has at most this many references on average on a GPU. With 19 of them, not 9.5, 10,000,000 queries
 * with k = 30 take 6 % less time on an H200.
 */
export const LEAF_POINTS = 20;

/** A search on a GPU has at most this k, since each lane keeps that many values. */
export const MOST_TREE_K = 64;

/**
 * `knn.tree` binds these buffers; on a CPU:
 *
 * refs, refMeta  as of knn.filter
 * points  f32 [leaves][cols][leafRows], 0 where empty
 * order   u32 [leaves][leafRows]: rows of refs, or EMPTY_PLACE
 * margins f32 [leaves][leafRows], 0 where empty
 * boxes   f32 [2 leaves][2][cols]: least and largest value by column; of node 0, which is none, undefined
 * nodeMargins f32 [2 leaves]: the largest margin below the node
 *
 * On a GPU:
 *
 * points  u32 [rows][4]: the float32 bits of three columns, and the row of refs; then u32 [runs + 1], where
 *         runs of leaves begin and the last one ends
 * boxes   f32 [2 leaves][2][4]: least values and the largest margin below; largest values and, negated,
 *         a number that no row below is lower than
 */
export type KnnTreeBinding = "refs" | "refMeta" | "points" | "order" | "margins" | "boxes" | "nodeMargins";

/**
 * `knn.treeFilter` makes the lists of `knn.filter` over all references, except that they may leave out those
 * whose rank is certain to exceed the k-th smallest high end; heads hold the count alone. Lists begin empty,
 * whatever heads holds.
 *
 * On a GPU the count is UNFINISHED where a query would take longer than is good for a device; the list is
 * then undefined. Its scratch begins with COUNTER_WORDS words, of which those from TREE_COUNTERS on are the
 * number of lists that overflowed or are unfinished, the entries of the others, and in two words, the lower
 * first, the references that queries were compared with.
 */
export interface KnnTreeFilterParams extends Pick<
  KnnFilterParams,
  "slack" | "k" | "capacity" | "stride" | "queryRows"
> {
  readonly core: TreeCore;
  readonly tree: KnnTreeParams;
  /**
   * On a GPU all queries together, and each of them, may visit this many references in one dispatch; default
   * any.
   */
  readonly pairs?: number | undefined;
  readonly most?: number | undefined;
}

/** This count stands for a query that was given up. */
export const UNFINISHED = 0xffffffff;

/**
 * `knn.spread`, which only GPUs have, turns rows of up to three float32 that follow each other into rows of
 * four: `packed` u32 [rows][dims], `rows` u32 [rows][4], with zeros at the end.
 */
export interface KnnSpreadParams {
  readonly rows: number;
  readonly dims: number;
}

export type KnnSpreadBinding = "packed" | "rows";

export type KnnTreeFilterBinding =
  | Extract<KnnFilterBinding, "queries" | "queryMeta" | "heads" | "candidates">
  | Exclude<KnnTreeBinding, "refs" | "refMeta">;

/** This stands in `order` where a leaf has fewer references than places. */
export const EMPTY_PLACE = 0xffffffff;

/** Returns how many leaves the tree has. */
export function leavesOf({ levels }: Pick<KnnTreeParams, "levels">): number {
  return 2 ** levels;
}

/** Returns how many places a leaf has, a multiple of 4. */
export function leafRows({ rows, levels }: Pick<KnnTreeParams, "rows" | "levels">): number {
  return Math.ceil(Math.ceil(rows / 2 ** levels) / 4) * 4;
}

/**
 * Returns the first reference of leaf `leaf` in the order of the splits. A node is the leaf of a tree with
 * fewer levels, so that this gives its first reference too.
 */
export function leafBegin(rows: number, leaf: number, levels: number): number {
  return Math.floor((leaf * rows) / 2 ** levels);
}

/** Returns how many bytes each array of a tree takes on a CPU. */
export function treeBytes(
  tree: KnnTreeParams,
): Readonly<Record<Exclude<KnnTreeBinding, "refs" | "refMeta">, number>> {
  const leaves = 2 ** tree.levels;
  const places = leaves * leafRows(tree);
  return {
    points: places * tree.cols * 4,
    order: places * 4,
    margins: places * 4,
    boxes: 2 * leaves * 2 * tree.cols * 4,
    nodeMargins: 2 * leaves * 4,
  };
}

/** Returns how many bytes each array of a tree takes on a GPU. */
export function gpuTreeBytes({ rows, levels }: KnnTreeParams): Readonly<Record<"points" | "boxes", number>> {
  return {
    points: (rows + Math.floor(treeRuns({ rows, levels }).runs / 4) + 1) * 16,
    boxes: 2 ** levels * 64,
  };
}

const treeScratch = [
  ...(["cells", "nextCells", "ranks", "counts", "nextCounts"] as const),
  ...(["starts", "nextStarts", "extents", "sums"] as const),
];
const queryScratch = ["counts", "starts", "sums"] as const;

/** A GPU needs these buffers besides to build a tree. */
export type TreeScratch = "items" | (typeof treeScratch)[number];
/** A GPU needs these buffers besides to search one. */
export type QueryScratch = "scratch" | (typeof queryScratch)[number];

/** A search's scratch has this many words before those of its queries, which are four each. */
export const COUNTER_WORDS = 64;
export const TREE_COUNTERS = 60;

export function treeScratchBytes(tree: KnnTreeParams): Readonly<Record<TreeScratch, number>> {
  const { rows } = tree;
  return {
    items: rows * 16,
    ...sized(treeScratch, rows),
    ...sized(["nextCounts", "nextStarts", "sums"], cellSlots(tree)),
  };
}

/** Returns how many cells a GPU may count points in at a time. */
export function cellSlots({ rows, cols, cells = 0 }: KnnTreeParams): number {
  return Math.max(rows, cells ** cols);
}

export function queryScratchBytes(queryRows: number): Readonly<Record<QueryScratch, number>> {
  return { scratch: (COUNTER_WORDS + 4 * queryRows) * 4, ...sized(queryScratch, queryRows) };
}

/**
 * Returns enough bytes for a word for each item, for six words for every 16, and for what a scan of them
 * needs.
 */
function sized<Name extends string>(names: readonly Name[], items: number): Record<Name, number> {
  const bytes = 16 * ceilDiv(items, 4) + 64;
  return Object.fromEntries(names.map((name) => [name, bytes])) as Record<Name, number>;
}
