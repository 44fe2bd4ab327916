/**
 * This module says when rows quantized to bytes rule out a pair, with the proof. The kernels are in
 * ops/knn/gpu/bytes/; when bytes pay is not its matter.
 *
 * Words. x': a row as it is compared in float32 (bound.ts), A its length. s: the scale. T: an orthogonal
 * matrix, the identity or that which turns rows; distances of T x are those of x. X: its bytes, whole
 * numbers within -127 and 127, each near T (x' - c) / s, with any centre c, which distances do not see. e =
 * |T (x' - c) - s X|, measured from the bytes as they are stored, so that nothing is assumed of how they
 * were rounded or cut off. N = |X|^2. L: the limit of the query, which a pair passes whose low end does not
 * exceed it.
 *
 * A pair's low end is value - half, with half the product and margins of bound.ts and a slack of some 4u of
 * the value, u = 2^-23. The value is |q' - r'|^2 but for an error of half at most. So the pair is out if |q'
 * - r'|^2 > (1 + 8u)(L + 2 half). Since 2 product(q) product(r) <= product(q)^2 + product(r)^2, twice half
 * is at most h(q) + h(r), with h = `factor` A^2 + `constant` of one row each. Bytes know |q' - r'| but for
 * e(q) + e(r), by the triangle inequality: it is at least s sqrt(D) - e(q) - e(r) with D = N(q) + N(r) - 2
 * QR. All of D is whole numbers below 2^31 up to MOST_BYTE_DIMS columns, so that it is exact. The pair is
 * out if s sqrt(D) > sqrt(L + h(q) + h(r)) + e(q) + e(r). One row each. With a = sqrt(L + h(q)), b =
 * sqrt(h(r)), the square of the right side is at most (a + b + e(q) + e(r))^2 less 2 a b, since sqrt(a^2 +
 * b^2) <= a + b: (a + e(q) + e(r))^2 + b^2 + 2 b (e(q) + e(r)). Let e(r) <= E + x, with E the same for all
 * rows and x not negative. Then the first square is at most (a + e(q) + E)^2 + 2 (a + e(q) + E) x + x^2,
 * whose first square belongs to the query, the rest to the reference if a and e(q) are the largest of a tile
 * of queries. In units of s^2, rounded up, each is a whole number: the query's bound and what the reference
 * may lack. Any E will do.
 *
 * The same of a single pair, as knn_few reads it (few_bytes.wgsl): |q' - r'| is between s sqrt(D) - e(q) -
 * e(r) and s sqrt(D) + e(q) + e(r). What float32 and float64 make of its square, and of the rows that q' and
 * r' stand for, differs from |q' - r'|^2 by 2 half and 16u of it at most, and is not negative. So it lies
 * between max(s sqrt(D) - e(q) - e(r), 0)^2 - h(q) - h(r) and (s sqrt(D) + e(q) + e(r))^2 + h(q) + h(r), with
 * the squares made smaller or larger by 2^-16. Lengths that were cut off at 2^16 steps leave no high end. The
 * low end is then not above zero, since sqrt(D) is below 2^15 up to MOST_BYTE_DIMS columns.
 *
 * Rounding. Subtracting the centre errs by u of each entry, and subtracting s X, which may be rounded, by
 * 2u. Turning adds up 16 entries, divided by 4, in any order: in the order of the kernel it errs by 4u of
 * the length of the row, in none by more than 44u. To e 64u of the length are added. Lengths are sums of d
 * squares in float32, with d the columns that bytes have room for, enlarged by (d + 32) u and by what
 * flushing may take. Each step that follows rounds by u at most; there are fewer than 20 of them in a row,
 * and roots and squares are enlarged by 2^-18 and 2^-16. A row with e or b beyond 2^16 steps, or a query
 * whose root is beyond 2^15, rules nothing out.
 */
import { froundUp } from "../../core/math.ts";
import type { Bound } from "./bound.ts";

/** It has the scale of bytes, and what the half-widths of intervals add. */
export interface ByteBound {
  /** A step of a byte stands for this number, a float32. */
  readonly scale: number;
  /** A row's h is factor * squared length + constant. */
  readonly factor: number;
  readonly constant: number;
}

/** Sums of bytes over at most so many columns are exact in the kernels' comparisons. */
export const MOST_BYTE_DIMS = 8192;

/** Squares of steps between these scales are far from what float32 cannot hold. */
const LEAST_SCALE = 2 ** -40;
const MOST_SCALE = 2 ** 40;

/**
 * Returns what bytes need to rule out pairs.
 * @param largest the entry that becomes 127; larger ones are cut off, which costs time and no neighbour
 * @param bound that of the squared distance in float32, also where values are taken as they are
 * @returns undefined where bytes rule nothing out
 */
export function byteBoundOf(largest: number, dims: number, bound: Bound): ByteBound | undefined {
  const scale = Math.fround(largest / 127);
  if (!(scale >= LEAST_SCALE && scale <= MOST_SCALE) || dims > MOST_BYTE_DIMS) return undefined;
  return {
    scale,
    factor: froundUp(bound.productFactor ** 2 + 2 * bound.marginFactor),
    constant: froundUp(2 * bound.marginConstant),
  };
}
