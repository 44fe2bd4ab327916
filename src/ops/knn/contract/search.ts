/**
 * `knn.search` finds the k nearest neighbours of rows in device memory, in float32. It is composed of
 * `knn.filter`, or for up to 32 queries of kernels that read the references once. It is for other WebGPU
 * programs; plans, which certify their results, have no step of it.
 */

export const knnSearchMetrics = [
  "euclidean",
  "sqeuclidean",
  "inner_product",
  "manhattan",
  "chebyshev",
] as const;

/**
 * These metrics can be computed in float32 throughout.
 * @example
 * const metric: KnnSearchMetric = "inner_product"; // kneighbors has them too
 * (await kneighbors([[1, 2]], [[3, 4]], { k: 1, metric, precision: "float32" })).distances; // => [-11]
 */
export type KnnSearchMetric = (typeof knnSearchMetrics)[number];

/**
 * `knn.search` finds the k references with the smallest distances of every query, ascending by (distance as
 * float32, index); euclidean by its square. The distances are computed in float32: for euclidean and
 * sqeuclidean as |q|^2 + |r|^2 - 2 q.r, which is fast and loses digits where rows are far from the origin and
 * near each other, and for up to eight queries as the sum of (q - r)^2; inner_product is -q.r.
 *
 * A row has `columns` entries, padded with zeros to a multiple of 4, the `stride`. All values must be finite,
 * and so must squared lengths: with more than 32 queries, rows that overflow float32 may come at any place.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: KnnSearchParams = { metric: "manhattan", queries: 2, references: 100, columns: 5, k: 101 };
 * const error = await primitives.knn(params).catch((error: unknown) => error);
 * (error as InvalidInputError).message; // => "k is 101; expected a whole number from 1 to 100"
 */
export interface KnnSearchParams {
  readonly metric: KnnSearchMetric;
  readonly queries: number;
  readonly references: number;
  readonly columns: number;
  /** Each query has this many neighbours, from 1 to `references`. */
  readonly k: number;
  /**
   * A dispatch makes at most this many multiply-adds, unless 64 queries by 64 references need more. The
   * default of 1e10 takes a slow GPU a quarter of a second; on a fast one 1e13 saves some time.
   */
  readonly workPerDispatch?: number | undefined;
}

/**
 * `knn.search` binds these buffers:
 *
 * queries    f32 [queries][stride]      references f32 [references][stride]
 * distances  f32 [queries][k]           indices    u32 [queries][k]
 * scratch    opaque
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const sizes = { queries: 2, references: 100, columns: 4, k: 3 };
 * const search: GpuOperation<KnnSearchBinding> = await primitives.knn(sizes);
 * const { queries, references, distances, indices } = search.bytes;
 * [queries, references, distances, indices]; // => [32, 1600, 24, 24]
 */
export type KnnSearchBinding = "queries" | "references" | "distances" | "indices" | "scratch";
