/**
 * These are the contracts of `knn.pointTree` and `knn.nearestPoints`, which find the nearest points of rows
 * in device memory, of one to three columns, in float32. They are for other WebGPU programs; plans, which
 * certify their results, search along `knn.tree`.
 */
import { LEAF_POINTS, type KnnTreeParams, type QueryScratch, type TreeScratch } from "./tree.ts";

/**
 * `knn.pointTree` orders points so that near ones lie together, with boxes around them. Points may lie
 * anywhere and may coincide; one tree serves any number of searches.
 *
 * A row has four float32, zero past the columns. All values must be finite, and so must squares of
 * differences.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: PointTreeParams = { points: 1000 };
 * const { points, leaves, boxes } = (await primitives.pointTree(params)).bytes;
 * [points, leaves, boxes]; // => [16_000, 16_032, 4096]
 */
export interface PointTreeParams {
  readonly points: number;
}

/**
 * `knn.pointTree` binds these buffers:
 *
 * points f32 [points][4]
 * leaves, boxes  the tree, for `nearestPoints`
 * scratch        opaque
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const build: GpuOperation<PointTreeBinding> = await primitives.pointTree({ points: 10 });
 * build.bytes.points; // => 160
 */
export type PointTreeBinding = "points" | "leaves" | "boxes" | "scratch" | `scratch.${TreeScratch}`;

/**
 * `knn.nearestPoints` finds the k points with the smallest distances of every query, ascending by (distance
 * as float32, index), euclidean by its square: the sum of squared differences, each rounded to float32. So a
 * distance may differ from the float64 one by 2^-20 of itself, and of two points that differ by no more
 * either may come first; if the float32 distances are equal, the lower index does. Queries have rows like
 * points.
 *
 * A query that is equally far from very many points is compared with all of them, in several dispatches.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const asked = { points: 1000, queries: 10, k: 65, metric: "sqeuclidean" } as const;
 * const all = { radius: Infinity, excludeSelf: false, visitsPerDispatch: 2 ** 28 };
 * const params: NearestPointsParams = { ...asked, ...all };
 * const error = await primitives.nearestPoints(params).catch((error: unknown) => error);
 * (error as InvalidInputError).message; // => "k is 65; expected a whole number from 1 to 64"
 */
export interface NearestPointsParams extends PointTreeParams {
  readonly queries: number;
  /** Each query has this many neighbours, from 1 to `points` (less one with `excludeSelf`), at most 64. */
  readonly k: number;
  readonly metric: "euclidean" | "sqeuclidean";
  /**
   * A neighbour is at most this far, at least 0, default Infinity; for the metric sqeuclidean it is the
   * largest square. Squares are compared as float32 rounds them. If a query has fewer neighbours, they are
   * followed by the index NO_NEIGHBOR and the distance 2^128 - 2^104, the largest float32.
   */
  readonly radius: number;
  /** Query i is not offered point i, default false; there are then as many queries as points. */
  readonly excludeSelf: boolean;
  /**
   * All queries together visit at most this many points in a dispatch, or 512 each if that is more; the last
   * of 58 dispatches visits whatever is left. The default of 2^28 takes a slow GPU a quarter of a second.
   */
  readonly visitsPerDispatch: number;
}

/**
 * `knn.nearestPoints` binds these buffers:
 *
 * queries    f32 [queries][4]
 * leaves, boxes  of `pointTree`
 * distances  f32 [queries][k]           indices    u32 [queries][k]
 * scratch    opaque
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const search: GpuOperation<NearestPointsBinding> = await primitives.nearestPoints({ points: 9, queries: 5 });
 * const { queries, distances, indices } = search.bytes;
 * [queries, distances, indices]; // => [80, 20, 20]
 */
export type NearestPointsBinding =
  "queries" | "leaves" | "boxes" | "distances" | "indices" | "scratch" | `scratch.${QueryScratch}`;

/** A query has at most this many neighbours. */
export { MOST_TREE_K as MOST_NEAREST } from "./tree.ts";

/** Returns the tree over that many points. */
export function treeOf({ points: rows }: PointTreeParams): KnnTreeParams {
  const levels = Math.max(0, Math.ceil(Math.log2(rows / LEAF_POINTS)));
  return { rows, cols: 3, stride: 4, levels, onGpu: true };
}

/** Returns how many bytes scratch buffers take, and their names by those that passes give them. */
export function scratchOf(sizes: Readonly<Record<string, number>>): {
  readonly bytes: Readonly<Record<string, number>>;
  readonly names: Readonly<Record<string, string>>;
} {
  const named = Object.keys(sizes).map((name) => [name, name === "scratch" ? name : `scratch.${name}`]);
  return {
    bytes: Object.fromEntries(named.map(([name, to]) => [to, sizes[name]])),
    names: Object.fromEntries(named),
  };
}
