/**
 * k-NN searches take and return these types. Those that a single call adds are in its own file, such as
 * kneighbors.ts.
 */
import type { TileCaps } from "./plan/tile.ts";
import { type OptionNames } from "../../core/options.ts";
import type { Before } from "./plan/bounds.ts";
import { executeNames, type ExecuteOptions } from "../../runtime/execute.ts";
import type { KnnExplanation } from "./plan/explain.ts";
import type { Matrix } from "../../core/matrix.ts";
import { metricOptionNames, type MetricOptions } from "../../distance/measures/metricOptions.ts";
import type { Precision } from "./plan/problem.ts";
import type { Range } from "../../distance/rows/range.ts";

/**
 * These options say how distances are measured.
 * @example
 * const options: KnnOptions = { metric: "manhattan", columnWeights: [1, 10] };
 * const train = [[0, 1], [5, 0]];
 * (await kneighbors(train, [[0, 0]], { ...options, k: 1 })).indices; // => [1]
 * (await radiusNeighbors(train, [[0, 0]], { ...options, radius: 10 })).distances; // => [5, 10]
 */
export interface KnnOptions extends MetricOptions {
  /**
   * "float64" (default) gives exact results, the same on every device; "float32" takes distances as the
   * device computes them.
   */
  readonly precision?: Precision | undefined;
  /**
   * These upper limits on tiles are for tests and experiments; results never depend on them.
   * @internal
   */
  readonly tiles?: TileCaps | undefined;
}

export const knnNames: OptionNames<KnnOptions> = { ...metricOptionNames, precision: 1, tiles: 0 };

/**
 * Every search takes these options.
 * @example
 * const options: SearchOptions = { radius: 2 };
 * const { indices, counts } = await kneighbors([[0], [1], [5]], [[2]], { k: 3, ...options });
 * counts; // => [2]
 * indices; // => [1, 0, NO_NEIGHBOR]
 */
export interface SearchOptions extends ExecuteOptions {
  /** The result is written to these arrays, at least queries x k long; default new ones. */
  readonly out?: { readonly indices: Uint32Array; readonly distances: Float64Array } | undefined;
  /**
   * Neighbours are at most this far away; default no limit. A query with fewer than k has index NO_NEIGHBOR
   * (0xFFFFFFFF) and distance Infinity in the places left over; `counts` says how many it has.
   */
  readonly radius?: number | undefined;
  /**
   * True returns as distances the keys that neighbours are ordered by, before a last root, for merging
   * results; default false.
   * @internal
   */
  readonly asKeys?: boolean | undefined;
  /**
   * True says that the queries are the training rows in their order, and no row counts as its own neighbour;
   * default false.
   */
  readonly excludeSelf?: boolean | undefined;
  /**
   * Earlier searches found these facts out about the queries, and this one may add to them. They must not be
   * kept while the caller may change the queries.
   * @internal
   */
  readonly asked?: SharedQueries | undefined;
}

export const searchNames: OptionNames<SearchOptions> = {
  ...executeNames,
  out: 1,
  radius: 1,
  asKeys: 0,
  excludeSelf: 1,
  asked: 0,
};

/**
 * Several indexes of like rows search for the same queries, which are checked once and share what is known of
 * them.
 */
export interface SharedQueries {
  matrix?: Matrix;
  /** The queries have this range, around no centre. */
  range?: Range;
  /**
   * Among other rows these neighbours were found, at least k. Of train only what is nearer than their k-th is
   * found, so that places may stay empty. They may change meanwhile.
   */
  before?: Before | undefined;
}

/**
 * A search returns this, row-major [queries][k], ascending by (distance, index).
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
  /** With a radius, each query has this many neighbours. */
  readonly counts?: Uint32Array;
  /** It tells how the search was carried out. */
  readonly explanation: KnnExplanation;
}
