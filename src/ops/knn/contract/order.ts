/**
 * The primitive `knn.order`, which only GPUs have, puts lists whose keys `distance.refine` has evaluated, or
 * whose intervals are points, in the order of neighbours, so that the host only copies them.
 */

/**
 * `knn.order` writes the first k of every list by (distance, row). Of a list that is longer than its capacity
 * the first row is NO_ROW, and the low word of the first distance its count; its other places are undefined.
 */
export interface KnnOrderParams {
  /** A list has room for this many entries, at least k. */
  readonly capacity: number;
  /** It writes those of the queries [queryBegin, queryBegin + queryRows). */
  readonly queryBegin: number;
  readonly queryRows: number;
  /** Each list that did not overflow has at least this many entries. */
  readonly k: number;
  /** This is true where a distance is the square root of its key; else it is the key. */
  readonly root: boolean;
  /**
   * This is defined where keys are intervals, float32 [2], whose low end is a value. Neighbours then come by
   * (value, row), and the key of a distance is value * 2^rankExponent, or 0 if that is less. It is whole and
   * within MOST_RANK_EXPONENT.
   */
  readonly rankExponent?: number | undefined;
}

/** A float32 value times a power of two up to this exponent is a normal float64, and so is its root. */
export const MOST_RANK_EXPONENT = 800;

/**
 * `knn.order` binds heads, candidates and keys as `distance.refine` has them, and leaves keys undefined; and
 *
 * nearRows       u32 [queryBegin + queryRows][k]
 * nearDistances  u32 [queryBegin + queryRows][k][2]: the bits of a float64, the low word first
 */
export type KnnOrderBinding = "heads" | "candidates" | "keys" | "nearRows" | "nearDistances";

/** Returns how many bytes the results take. */
export function knnOrderBytes({
  queryRows,
  k,
}: Pick<KnnOrderParams, "queryRows" | "k">): Readonly<Record<"nearRows" | "nearDistances", number>> {
  return { nearRows: queryRows * k * 4, nearDistances: queryRows * k * 8 };
}
