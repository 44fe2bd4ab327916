/**
 * The contract of `knn.order`, which only GPUs have: it puts lists whose keys `distance.refine` has evaluated
 * in the order of neighbours, so that the host has nothing left to do but to copy them.
 */

/**
 * The parameters of `knn.order`, which writes the k first of every list by (distance, row). Of a list that is
 * longer than its capacity the first row is NO_ROW, and the low word of the first distance its count; its
 * other places are undefined.
 */
export interface KnnOrderParams {
  /** Entries per query of the lists; at least k. */
  readonly capacity: number;
  readonly queryRows: number;
  /** Entries of a list that did not overflow are at least so many. */
  readonly k: number;
  /** A distance is the square root of its key; default it is the key. */
  readonly root: boolean;
}

/**
 * heads, candidates and keys as `distance.refine` has them; keys are undefined afterwards
 *
 * nearRows       u32 [queryRows][k]
 * nearDistances  u32 [queryRows][k][2]: the bits of a float64, the low word first
 */
export type KnnOrderBinding = "heads" | "candidates" | "keys" | "nearRows" | "nearDistances";

/** Returns the bytes of the results. */
export function knnOrderBytes({
  queryRows,
  k,
}: Pick<KnnOrderParams, "queryRows" | "k">): Readonly<Record<"nearRows" | "nearDistances", number>> {
  return { nearRows: queryRows * k * 4, nearDistances: queryRows * k * 8 };
}
