/**
 * This is the contract of the primitive `distance.refine`, which only GPUs have: it evaluates candidates in
 * float64, on rows as they are.
 */

/**
 * A refinement takes these parameters. It evaluates every candidate of a list that did not overflow whose row
 * is one of `refs`: sum (q - r)^2 over the columns in their order, each operation as float64 rounds it. Other
 * keys stay as they are.
 */
export interface RefineParams {
  /** A query has so many entries, as in the call of knn.filter that left the lists. */
  readonly capacity: number;
  readonly dims: number;
  readonly stride: number;
  /** Queries [queryBegin, queryBegin + queryRows) are refined. */
  readonly queryBegin: number;
  readonly queryRows: number;
  /** Row 0 of the buffer `refs` is this row, and the buffer has so many rows. */
  readonly refOffset: number;
  readonly refRows: number;
}

/**
 * queries f32 [..][stride]      refs       f32 [refRows][stride], both finite
 * heads   u32 [..][2]           candidates u32 [..][capacity], as knn.filter left them
 * keys    u32 [..][capacity][2]: the bits of a float64, the low word first
 */
export type RefineBinding = "queries" | "refs" | "heads" | "candidates" | "keys";
