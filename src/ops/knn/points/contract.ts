/**
 * These are the contracts of `knn.points` and `knn.nearest`, which only CPUs have: a tree of boxes over
 * points of up to three columns, and the search that ends with what the caller gets, the k nearest in order
 * with float64 distances.
 *
 * The tree has four children to a node, but for its root, which may have two or three. Group 0 is the root,
 * groups 4 i + 1 to 4 i + 4 are the children of group i, and the numbers behind the last group are those of
 * the leaves. Leaf i holds the points [floor(i n / leaves), floor((i + 1) n / leaves)) of the order that the
 * splits make.
 */
import { ceilDiv, roundUp } from "../../../core/math.ts";

export interface PointTree {
  readonly rows: number;
  readonly cols: number;
  /**
   * This is true where the points need float64; they are then moved by the centre before they become float32.
   */
  readonly wide: boolean;
  readonly centre: readonly number[];
  readonly leaves: number;
  readonly groups: number;
  /** The tree has this many levels of groups. */
  readonly depth: number;
  /** A leaf has this many places, a multiple of 4. */
  readonly places: number;
}

/**
 * `knn.points` binds these buffers:
 *
 * values   the points, [rows][cols], float32 or float64
 * records  f32 [rows][4], scratch
 * points   f32 [leaves][4][places]: x, y, z, and as u32 the row, or NO_ROW where a place is empty
 * boxes    f32 [groups][2][3][4]: least x, y, z and largest ones of the four children
 * exact    f64 [leaves][1 + 3 places], where `wide`: the largest coordinate as float32, then x, y, z by place
 */
export type PointsBinding = "values" | "records" | "points" | "boxes" | "exact";

export interface NearestParams {
  readonly tree: PointTree;
  readonly k: number;
  readonly queryRows: number;
  /** Says whether a distance is the root of the sum of squares. */
  readonly root: boolean;
}

/**
 * `knn.nearest` binds these buffers:
 *
 * queries        [queryRows][cols], as values
 * nearRows       u32 [queryRows][k], ascending by (distance, row)
 * nearDistances  f64 [queryRows][k]
 * counters       u32 [64] as of knn.treeFilter: the pairs evaluated in float64
 */
export type NearestBinding =
  "queries" | "points" | "boxes" | "exact" | "nearRows" | "nearDistances" | "counters";

export const RECORD_BYTES = 16;
export const GROUP_BYTES = 96;
const LEAF_POINTS = 16;

/** Returns the tree over so many points. */
export function pointTree(rows: number, cols: number, wide: boolean, centre: readonly number[]): PointTree {
  const wanted = ceilDiv(rows, LEAF_POINTS);
  let depth = 0;
  while (4 ** depth < wanted) depth++;
  const below = 4 ** Math.max(0, depth - 1);
  const leaves = ceilDiv(wanted, below) * below;
  const places = roundUp(ceilDiv(rows, leaves), 4);
  return { rows, cols, wide, centre, leaves, groups: (4 ** depth - 1) / 3, depth, places };
}

/** Returns how many bytes a row takes as it is given. */
export function rowBytesOf({ cols, wide }: PointTree): number {
  return cols * (wide ? 8 : 4);
}

/** Returns how many bytes each array takes that stays. */
export function pointTreeBytes({ leaves, places, groups, wide }: PointTree) {
  const all = leaves * places;
  return {
    points: all * 16,
    boxes: Math.max(1, groups) * GROUP_BYTES,
    ...(wide && { exact: all * 24 + leaves * 8 }),
  };
}

/** Returns the first point of a leaf in the order of the splits. */
export function firstOf({ rows, leaves }: PointTree, leaf: number): number {
  return Math.floor((leaf * rows) / leaves);
}

/**
 * A node of the tree is a group, or a leaf where its number is beyond the groups, with the leaves below it.
 */
export interface PointNode {
  readonly group: number;
  readonly first: number;
  readonly count: number;
}

/** Returns the children of a node, none of a leaf. */
export function childrenOf({ groups }: PointTree, { group, first, count }: PointNode): PointNode[] {
  if (group >= groups) return [];
  let parts = count;
  while (parts > 4) parts /= 4;
  const each = count / parts;
  return Array.from({ length: parts }, (_, child) => ({
    group: 4 * group + 1 + child,
    first: first + child * each,
    count: each,
  }));
}
