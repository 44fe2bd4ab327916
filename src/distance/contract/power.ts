/**
 * This is the contract for comparing rows by kernels that are powers of an inner product. Plain rows are
 * core.ts.
 */

/**
 * A pair is compared as distance/core.ts says with the core dot, but its value is base(q) + base(r) + weight
 * * (sum q*r + shift)^times.
 */
export interface PairPower {
  readonly shift: number;
  /** It multiplies a whole number of factors, at least 1. */
  readonly times: number;
}
