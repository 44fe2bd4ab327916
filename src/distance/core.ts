/**
 * This module says how a pair of float32 rows becomes a value, and the value an interval: what all kernels
 * that compare rows have in common, and how rows lie in buffers for them. Which form a metric has is said in
 * forms/, and the proof of the interval is in bound/.
 *
 * The value of a pair (q, r), whose first `dims` entries count (the rest of the stride is zero):
 *
 *     dot    base(q) + base(r) + weight * sum q*r      l1    sum |q-r|        lp   sum |q-r|^p
 *     l2     sum (q-r)^2                               linf  max |q-r|
 *
 * Sums are made in any order. A pair's interval is value -+ half with half = slack * |value| + product(q) *
 * product(r) + margin(q) + margin(r), where a row's meta is four float32: base, product, margin, unused.
 */

/** A value of two rows is one of these sums, or the maximum. */
export type DistanceCore = "dot" | "l2" | "l1" | "linf" | "lp";

/** These are the parameters of a value and its interval. */
export interface PairParams {
  readonly core: DistanceCore;
  /** It is the exponent of lp; unused elsewhere. */
  readonly p: number;
  /** It multiplies the dot product; unused elsewhere. */
  readonly weight: number;
  readonly slack: number;
  /**
   * So many columns count, and so many float32 lie from one row to the next (a multiple of 4, at least dims).
   */
  readonly dims: number;
  readonly stride: number;
}

/** A row's meta takes this many bytes. */
export const META_BYTES = 16;
