/**
 * The primitive `knn.carry`, which only GPUs have, moves float64 keys to the new places of their candidates.
 */

/**
 * `knn.carry` runs between two chunks of references: `knn.filter` has moved candidates to the front of their
 * lists and added others, and `distance.refine` is about to evaluate those of the chunk. The keys of the
 * other candidates, which the lists had before, move to the places of their candidates. Lists that overflowed
 * are left alone.
 */
export interface KnnCarryParams {
  /** A list has this many entries, as in the calls of knn.filter that left the lists. */
  readonly capacity: number;
  readonly queryRows: number;
  /**
   * This is the row index of the chunk's first row. Candidates before it had keys, and came in the order that
   * they have now.
   */
  readonly refOffset: number;
}

/**
 * `knn.carry` binds these buffers:
 *
 * heads   u32 [queryRows][2]           candidates u32 [queryRows][capacity], as knn.filter left them
 * keyed   u32 [queryRows][capacity]    the candidates that had keys before, which become those of now, with
 *                                      0xfffffffe behind the last; undefined at first
 * keys    u32 [queryRows][capacity][2] the bits of a float64 for each of `keyed`, the low word first; NaN
 *                                      for a candidate that should have had a key and had none
 */
export type KnnCarryBinding = "heads" | "candidates" | "keyed" | "keys";
