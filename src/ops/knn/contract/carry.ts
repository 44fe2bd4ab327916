/** The contract of the primitive `knn.carry`, which only GPUs have: float64 keys that follow the candidates they belong to. */

/**
 * Between two chunks of references: `knn.filter` has moved candidates to the front of their lists and added others, and `knn.refine` is
 * to evaluate those of the chunk. The keys of the others, which lists had before, move to where their candidates are now. Lists that
 * overflowed are left alone.
 */
export interface KnnCarryParams {
  /** Entries per query, as in the calls of knn.filter that left the lists. */
  readonly capacity: number;
  readonly queryRows: number;
  /** Row index of the chunk's first row: candidates before it had keys, and came in the order that they have now. */
  readonly refOffset: number;
}

/**
 * heads   u32 [queryRows][2]           candidates u32 [queryRows][capacity], as knn.filter left them
 * keyed   u32 [queryRows][capacity]    the candidates of the chunk before, which it makes those of now, and 0xfffffffe behind the
 *                                      last; undefined at first
 * keys    u32 [queryRows][capacity][2] the bits of a float64 for each of `keyed`, the low word first; NaN for a candidate
 *                                      that should have had one and had none
 */
export type KnnCarryBinding = "heads" | "candidates" | "keyed" | "keys";
