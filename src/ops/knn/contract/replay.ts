/** The primitive `knn.replay`, which only GPUs have, replays a bounded heap over keep-all lists. */

/**
 * `knn.replay` offers the entries of every query's list, in ascending order of their rows, to a bounded
 * binary heap of the k nearest with the farthest on top, whose steps are those of models/rapidminer/heap.ts.
 * Of two entries that one is farther whose low end is above the other's high end; with `points`, where
 * intervals are values, equal ones are equally far.
 *
 * The result is the heap's array, min(k, count) places in the list in its present order; the words behind
 * them stay as they were. The first place is UNDECIDED, and the others are undefined, where intervals did not
 * decide all comparisons, and where a list is empty or overflowed.
 */
export interface KnnReplayParams {
  /** k is at most knnReplayPolicy.mostK (ops/knn/gpu/policy.ts). */
  readonly k: number;
  /**
   * A list has this many entries, as in the call of knn.filter that left it; at most the largest of
   * knnReplayPolicy.sizes.
   */
  readonly capacity: number;
  readonly points: boolean;
  /** Queries [queryBegin, queryBegin + queryRows) are replayed. */
  readonly queryBegin: number;
  readonly queryRows: number;
}

/**
 * `knn.replay` binds these buffers:
 *
 * heads     u32 [..][2]                candidates u32 [..][capacity], no row twice in a list
 * intervals f32 [..][capacity][2]: low, high; all three as knn.filter left them
 * places    u32 [..][k]
 */
export type KnnReplayBinding = "heads" | "candidates" | "intervals" | "places";

/** This place stands for none. */
export const UNDECIDED = 0xffffffff;
