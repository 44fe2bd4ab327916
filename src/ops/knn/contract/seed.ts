/** The primitive `knn.seed` lets lists begin with what is already known of the k nearest. */

export { NO_ROW } from "../../../distance/order.ts";

/**
 * `knn.seed` fills every list with k entries that are no rows, NO_ROW, with intervals that are the query's
 * bound, as if k references had been seen whose values are at most that. `knn.filter` then leaves out what
 * lies beyond.
 */
export interface KnnSeedParams {
  readonly k: number;
  /** A list has room for this many entries in `candidates` and `intervals`, at least k. */
  readonly capacity: number;
  readonly queryRows: number;
}

/**
 * `knn.seed` binds these buffers:
 *
 * bounds     f32 [queryRows], finite
 * heads      u32 [queryRows][2]        candidates u32 [queryRows][capacity]
 * intervals  f32 [queryRows][capacity][2], all three as knn.filter has them
 */
export type KnnSeedBinding = "bounds" | "heads" | "candidates" | "intervals";
