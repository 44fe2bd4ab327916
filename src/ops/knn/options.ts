/**
 * The types that k-NN searches take and return. Not what a single one takes beside (kneighbors.ts and its
 * like).
 */
import type { TileCaps } from "./plan/tile.ts";
import type { Before } from "./plan/seedSteps.ts";
import type { ExecuteOptions } from "../../runtime/execute.ts";
import type { KnnExplanation } from "./plan/explain.ts";
import type { Matrix } from "../../core/matrix.ts";
import type { MetricOptions } from "../../distance/measures/metricOptions.ts";
import type { Precision } from "./plan/problem.ts";
import type { Range } from "../../distance/rows/range.ts";

/**
 * How distances are measured.
 * @example
 * const options: KnnOptions = { metric: "manhattan", columnWeights: [1, 10] };
 * const train = [[0, 1], [5, 0]];
 * (await kneighbors(train, [[0, 0]], { ...options, k: 1 })).indices; // => [1]
 * (await radiusNeighbors(train, [[0, 0]], { ...options, radius: 10 })).distances; // => [5, 10]
 */
export interface KnnOptions extends MetricOptions {
  /** "float64" (default) is certified exact; "float32" takes distances as the device computes them. */
  readonly precision?: Precision | undefined;
  /**
   * Upper limits on tiles; results never depend on them. For tests and experiments.
   * @internal
   */
  readonly tiles?: TileCaps | undefined;
}

/**
 * The options that every search takes.
 * @example
 * const options: SearchOptions = { radius: 2 };
 * const { indices, counts } = await kneighbors([[0], [1], [5]], [[2]], { k: 3, ...options });
 * counts; // => [2]
 * indices; // => [1, 0, NO_NEIGHBOR]
 */
export interface SearchOptions extends ExecuteOptions {
  /** Where to write the result, at least queries x k long; default new arrays. */
  readonly out?: { readonly indices: Uint32Array; readonly distances: Float64Array } | undefined;
  /**
   * Only neighbours at this distance or nearer; default any. Places of neighbours that do not exist hold
   * index 0xFFFFFFFF and distance Infinity, and `counts` says how many exist.
   */
  readonly radius?: number | undefined;
  /**
   * Distances are what neighbours are ordered by, before a last root: for merging results. Default false.
   * @internal
   */
  readonly asKeys?: boolean | undefined;
  /**
   * The queries are the training rows in their order, and no row counts as its own neighbour; default false.
   */
  readonly excludeSelf?: boolean | undefined;
  /**
   * Earlier searches found this out about the queries, and this one may add to it: not to be kept while the
   * caller may change them.
   * @internal
   */
  readonly asked?: Asked | undefined;
}

/** Queries that several indexes of like rows search for: looked at once, and what is known of them. */
export interface Asked {
  matrix?: Matrix;
  /** Around no centre. */
  range?: Range;
  /**
   * These were found among other rows, at least k: of train only what is nearer than its k-th is found, so
   * that places may stay empty. It may grow meanwhile.
   */
  before?: Before | undefined;
}

/**
 * Row-major [queries][k], ascending by (distance, index).
 * @example
 * const { indices, distances, queries, k }: KnnResult = await kneighbors([[0], [5], [9]], [[4], [8]], { k: 2 });
 * for (let query = 0; query < queries; query++) {
 *   const nearest = indices.subarray(query * k, (query + 1) * k);
 *   console.log(`query ${query}: rows ${nearest}, the nearest at distance ${distances[query * k]}`);
 * }
 * indices; // => [1, 0, 2, 1]
 */
export interface KnnResult {
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
  readonly queries: number;
  readonly k: number;
  /** With a radius: how many neighbours each query has. */
  readonly counts?: Uint32Array;
  /** How it was computed, made from the plan as executed. */
  readonly explanation: KnnExplanation;
}
