/**
 * The contracts of `knn.tree` and `knn.treeFilter`, which only the CPU backend has: a k-d tree over the
 * references for few columns, and the filter that visits only those of its leaves which may hold a neighbour.
 *
 * The tree is complete: it has 2^levels leaves, node 1 is the root, nodes 2i and 2i + 1 are the children of
 * node i, and the leaves come last. Leaf i holds the references [floor(i n / 2^levels), floor((i + 1) n /
 * 2^levels)) of the order that the splits make, in `leafRows` places of which the last may be empty.
 */
import type { KnnFilterBinding, KnnFilterParams } from "./filter.ts";

/** The cores that sum direct differences over the columns; see KnnFilterParams. */
export type TreeCore = "l2" | "l1" | "linf";

export interface KnnTreeParams {
  readonly rows: number;
  readonly cols: number;
  /** float32 from one row to the next. */
  readonly stride: number;
  readonly levels: number;
}

/**
 * refs, refMeta  as of knn.filter
 * points  f32 [leaves][cols][leafRows], 0 where empty
 * order   u32 [leaves][leafRows]: rows of refs, or EMPTY_PLACE
 * margins f32 [leaves][leafRows], 0 where empty
 * boxes   f32 [2 leaves][2][cols]: least and largest value by column; of node 0, which is none, undefined
 * nodeMargins f32 [2 leaves]: the largest margin below the node
 */
export type KnnTreeBinding = "refs" | "refMeta" | "points" | "order" | "margins" | "boxes" | "nodeMargins";

/**
 * `knn.treeFilter` makes the lists of `knn.filter` over all references, except that they may leave out those
 * whose rank is certain to exceed the k-th smallest high end; heads hold the count alone. Lists begin empty,
 * whatever heads holds.
 */
export interface KnnTreeFilterParams extends Pick<
  KnnFilterParams,
  "slack" | "k" | "capacity" | "stride" | "queryRows"
> {
  readonly core: TreeCore;
  readonly tree: KnnTreeParams;
}

export type KnnTreeFilterBinding =
  | Extract<KnnFilterBinding, "queries" | "queryMeta" | "heads" | "candidates">
  | Exclude<KnnTreeBinding, "refs" | "refMeta">;

/** Stands in `order` where a leaf has fewer references than places. */
export const EMPTY_PLACE = 0xffffffff;

/** Returns the places of a leaf, a multiple of 4. */
export function leafRows({ rows, levels }: Pick<KnnTreeParams, "rows" | "levels">): number {
  return Math.ceil(Math.ceil(rows / 2 ** levels) / 4) * 4;
}

/**
 * Returns the first reference of leaf `leaf` in the order of the splits; also of any node, as leaf of a tree
 * with fewer levels.
 */
export function leafBegin(rows: number, leaf: number, levels: number): number {
  return Math.floor((leaf * rows) / 2 ** levels);
}

/** Returns the bytes of each array of a tree. */
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
