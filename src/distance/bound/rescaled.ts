/**
 * This module gives the interval of a sum over common columns that is multiplied by columns / common columns
 * (missing: "rescale"), from that of the sum. It is a file of its own, since few searches need it; its words
 * are bound.ts's.
 *
 * The factor is at most f = d / c, c the least number of columns that a pair has in common, or 1: what has
 * none has no sum. Everything that moves the sum moves the product by f times as much at most, but for what
 * is relative to the sum, which stays relative to the product. The quotient of the factor errs by 2.5 u and
 * multiplying by u, float64 by 2 k: 4 u of the product together, for which slack is 5 u larger, and f by
 * 2^-10.
 */
import type { Bound } from "./bound.ts";

/**
 * Makes the bound of a rescaled sum.
 * @param common the fewest columns that two rows surely share; may be negative
 */
export function rescaledBound(sum: Bound, columns: number, common: number): Bound {
  const factor = (columns / Math.max(1, common)) * (1 + 2 ** -10);
  return {
    slack: sum.slack + 5 * 2 ** -23,
    productFactor: sum.productFactor * factor,
    marginFactor: sum.marginFactor * factor,
    sizeFactor: sum.sizeFactor * factor,
    marginConstant: sum.marginConstant * factor,
  };
}
