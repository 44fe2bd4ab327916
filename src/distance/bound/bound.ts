/**
 * The interval that is certain to hold a pair's rank is value -+ (slack * |value| + product(q) * product(r) +
 * margin(q) + margin(r)), where the value is what a device computed in float32 and product and margin belong
 * to one row each. This module gives the four coefficients, with their proof. It assumes of the device only
 * what WGSL promises: every + - * errs by at most u = 2^-23 relative, in any order of a sum, fused or not,
 * and may flush subnormals to zero.
 *
 * Words. a, b: the exact rows after centring and scaling. A, B: norms of the float32 rows a', b' that the
 * device gets: Euclidean for dot and l2, the metric's own p-norm for l1, linf and lp. d: columns. rho:
 * relative error of one entry of a' (0 when every entry is exact in float32), to which 2^-52 is always added
 * for centring in float64. k = 2^-53. g = d u / (1 - d u), the error of a sum of d products relative to the
 * sum of their magnitudes.
 *
 * dot, squared distance. The rank is s = |a-b|^2, and s' = |a'-b'|^2 is what base + base - 2 dot means.
 *   Rounding moves each row by at most rho A, so |s - s'| <= (2 rho + rho^2)(A+B)^2. Computing errs by 2 g A
 *   B for the dot (Cauchy-Schwarz), u/2 (A^2+B^2) for the rounded bases and 2u (A+B)^2 for the two additions.
 *   Float64 evaluation of s errs by (d+4) k s, and s <= (A+B)^2 up to 2 rho. With c = 2.01 rho + 2.7 u + 1.01
 *   (d+4) k that is at most 2 g A B + c (A+B)^2 = (2g + 2c) A B + c A^2 + c B^2: product = sqrt(2g + 2c) A,
 *   margin = c A^2. A root taken afterwards ties ranks that differ by less than 2^-50 s, far inside c.
 * dot of sketches (ops/knn/contract/sketch.ts). V: axes as columns, E = I - V'V with 2-norm at most e (their
 *   defect). A row a' has coordinates y = V'a' and a rest z = a' - Vy, both linear in a', and |a'|^2 = |y|^2
 *   + y'Ey + |z|^2. For a pair that gives s' >= (1-e) |Y-Z|^2, where Y, Z are the points (y, |z|) of the two
 *   rows, since | |z_a| - |z_b| | <= |z_a - z_b|. The sketch differs from Y by at most t A: rounding to
 *   float32 moves it by k' A with k' = 2^-24, and |z| is the root of |a'|^2 - |y|^2, which errs by (e + n)
 *   A^2 with n = (stride + axes + 8) 2^-51 for sums in float64, the root then by sqrt(e + n) A at most. So s'
 *   >= D^2 - (2.01 t + 1.01 e)(A+B)^2 with D the distance of the sketches; and that a floor has |a'|^2 in
 *   place of the sketch's own square adds (2.01 t + e) A^2. Both together are what a rounding rho + 2 (t + e)
 *   would do, over axes + 2 columns. The column that holds product / sqrt(2) adds product(q) product(r) to
 *   twice the dot, and its own rounding is inside the enlargement.
 * dot of unit rows, 1 - cosine. A, B <= 1 + u. The dot errs by g + 2.01 rho, the subtraction by 2u, float64
 *   evaluation and normalising by (12 d + 64) k: a constant, half of it to each row. Clamping to [0, 2] ties
 *   what differs by less. RapidMiner's correlation and cosine err by (3 d + 21) k, the arc cosine of it
 *   included: angles differ by at least what their cosines do.
 * dot, inner product. The same three sources are each relative to A B: product = sqrt(1.01 (g + 2.01 rho + 2u
 *   + (d+4) k)) A. The dot kernel xx + qq - 2 xq of rows that are not centred errs in float64 by (d+4) k
 *   (A+B)^2, which c holds already. The negative of a squared distance (farthest) has its interval.
 * dot of whitened rows (measures/whitening.ts). Y = Wx in float64 differs from Wx by at most t X, with X =
 *   |x| and t = (d+3) k |W|. Of a pair that moves |Y-Z|^2 by at most h (A+B)^2 + (1 + 1/h) t^2 (X+Z)^2 for
 *   any h: h = 2^-26 goes into rho, the rest, with (X+Z)^2 <= 2 X^2 + 2 Z^2, into the size X^2. The float64
 *   definition uses the inverse of the covariance, which differs from W'W by a measured matrix, and errs by
 *   (2d+4) k |inverse| |x-q|^2: relative to the size too.
 * dot of x and log q, base sum x log x (entropy). With H = sum |x log x| and L = |log q|: the dot errs by (g
 *   + 2.01 rho) A L, log itself by 2^-51 relative; base and additions by 2.7 u (H + A L). In float64 every
 *   term x log(x/q) errs by x k (4 |log x| + 4 |log q| + 1.5) and their sum by d k: all within 3 (d+8) k (H +
 *   1.5 sum x + A L), and with sum (x - q) added, within that of sum q too.
 * l2, l1, direct. Each difference errs by u, each power and the sum by g' = (d+4) u / (1 - (d+4) u) relative
 *   to the value: slack. Rounding the rows moves the p-norm of the difference by at most rho (A+B), hence its
 *   p-th power by at most p rho (A+B)^p <= p rho 2^(p-1) (A^p + B^p): margin = 1.01 p rho 2^(p-1) A^p, (p =
 *   1, 2).
 * Rows that a device prepared itself (distance.prepare). Subtracting the centre, a float32, rounds an entry
 *   by u of the entry, and multiplying by a power of two does not: rho = u. Flushing may take t from the
 *   entry as it was uploaded and t from the difference, both before scaling by 2^e: t grows to (1 + 2^(e+1))
 *   t. A base is a float32 sum of n = `sums` terms at most in any lane and order, with an error of n u / (1 -
 *   n u) A^2 in place of u/2 A^2: c grows by 1.01 n u. Products and margins made from it are rounded as
 *   evaluations of the interval are, inside the enlargement while n u < 2^-11; what flushing may take from
 *   the sum, n 2^-125 at most, is added before the root.
 * Codes and gaps (contract/mixed.ts). A code adds `unit`, a power of two: multiples of it are exact before
 *   numbers are added, since codes come first and are fewer than 2^24; any other unit is one more rounding of
 *   each term, and d counts codes, too. Columns that are left out are left out of both sums. Marks only add
 *   to the value, at most once per column, which is in the margin; as every column then adds twice, and codes
 *   no longer multiples of the unit, d is twice the columns. So is t for each column where the unit is below
 *   t in the margin: all codes together add less than that, so that flushing units and their sums takes no
 *   more.
 * Two counts in one sum, u + 2^12 e of at most n = 4095 columns: below 2^24, so exact. u / (u + e) of two
 *   pairs are equal or differ by 1 / n^2 at least, more than 2^-24, which is the largest step of float32
 *   below 1: rounded they differ, too, and so do whole parts of 2^24 times them. Float64 needs one division
 *   for the distances that rise with them, and takes equal quotients to equal distances.
 * linf. As l1 without a sum: slack from one difference.
 * lp. As l1 with p in place, up to p = 2. Beyond, (A+B)^p would dwarf the values, and p-th powers X^p, X'^p
 *   of norms that differ by at most t = rho (A+B) are compared by Young's inequality instead: |X^p - X'^p| <=
 *   p t max^(p-1) <= (t/e)^p + (p-1) e^(p/(p-1)) max^p for any e > 0. With e such that the last factor is s =
 *   2^-13, and max^p <= (X'^p + (t/e)^p) / (1-s): slack s, margin = 1.01 (rho/e)^p 2^(p-1) A^p. pow adds (6p
 *   + 700) u relative, from WGSL's accuracy of exp2(p log2 x) for results between 2^-126 and 2^126 (log2:
 *   2^-21 absolute or 3 ulp; exp2: 3 + 2 |exponent| ulp) and from p itself as a float32. Below p = 1 the
 *   power is subadditive, |x^p - y^p| <= |x - y|^p, and margin = 1.01 rho^p sum |a'|^p.
 *
 * Flushing turns each entry, product and partial sum below 2^-126 = t into zero: `flushed` bounds what that
 * adds, and is part of the margin. For dot and l2, d lost entries move a sum of products by at most 2 d t
 * (A+B), and lost products and sums by 4 d t more; since A <= 1 + A^2, 8 d t (1 + A^2) is enough for each
 * row, and a far row costs no other row anything. Every coefficient is enlarged by 2^-10 for its own rounding
 * to float32 and for evaluating the interval in float32, and slack by 4u for adding it to the value.
 */
import type { DistanceCore } from "../core.ts";

export interface BoundProblem {
  readonly core: DistanceCore;
  /**
   * It says what a dot means: a squared distance, its negative, one of whitened rows, the cosine of unit
   * rows, an inner product, or a divergence.
   */
  readonly dot: "squared" | "farthest" | "whitened" | "unit" | "inner" | "entropy";
  readonly dims: number;
  /** It is the exponent of lp; 1, 2 or Infinity of the others. */
  readonly p: number;
  /** Some entry may have changed when it became float32. */
  readonly rounded: boolean;
  /** No entry of a float32 row is larger in magnitude. */
  readonly largest: number;
  /** Rows are displaced by this share beside their rounding (sketches); default 0. */
  readonly displaced?: number;
  /** The size that whitened rows had before, scaled alike, adds this share to a margin. */
  readonly sizeFactor?: number;
  /**
   * A device prepares the rows: a base's sum has so many terms, and rows are scaled by 2^exponent at most. By
   * default the host does.
   */
  readonly onDevice?: { readonly sums: number; readonly exponent: number } | undefined;
  /** Subnormals in the float64 evaluation add at most so much, in the units of the scaled rank. */
  readonly underflow: number;
}

export interface Bound {
  /** The error is relative to the magnitude of the value. */
  readonly slack: number;
  /** A row's product is productFactor * norm. */
  readonly productFactor: number;
  /**
   * A row's margin is marginFactor * norm^power + sizeFactor * size + marginConstant, with the power of
   * `normPower`.
   */
  readonly marginFactor: number;
  /** It is the share of a row's size (rows/forms.ts), for forms whose rows have one. */
  readonly sizeFactor: number;
  readonly marginConstant: number;
}

const U = 2 ** -23;
const K = 2 ** -53;
const TINY = 2 ** -126;
const ENLARGE = 1 + 2 ** -10;

/**
 * There are at most so many columns: beyond them the error of a sum is no longer small, and nothing is
 * filtered in float32.
 */
export const MAX_FILTER_DIMS = 2 ** 20;

/**
 * No exponent is larger: beyond it p-th powers of float32 keep too little of the order to be worth computing.
 */
export const MAX_FILTER_P = 32;

/** @returns undefined when no useful interval exists: too many columns, or too large an exponent. */
export function boundOf(problem: BoundProblem): Bound | undefined {
  const { core, dims, p } = problem;
  if (dims > MAX_FILTER_DIMS || (core === "lp" && (p > MAX_FILTER_P || p < 0.125))) return undefined;
  const { slack, product, factor, size, constant } =
    core === "dot" ? dotBound(problem) : directBound(problem);
  return {
    slack: (slack + 4 * U) * ENLARGE,
    productFactor: Math.sqrt(product) * ENLARGE,
    marginFactor: (factor + (core === "dot" || core === "l2" ? flushed(problem) : 0)) * ENLARGE,
    sizeFactor: (size ?? 0) * ENLARGE,
    marginConstant: (constant + flushed(problem) + problem.underflow) * ENLARGE,
  };
}

/** The bound of `precision: "float32"`: the value is taken as it is. */
export const noBound: Bound = {
  slack: 0,
  productFactor: 0,
  marginFactor: 0,
  sizeFactor: 0,
  marginConstant: 0,
};

interface Terms {
  readonly slack: number;
  readonly product: number;
  readonly factor: number;
  readonly size?: number;
  readonly constant: number;
}

function dotBound({ dot, dims, rounded, displaced = 0, sizeFactor = 0, onDevice }: BoundProblem): Terms {
  const rho = rhoOf(rounded, onDevice) + displaced;
  const g = gamma(dims);
  switch (dot) {
    case "squared":
    case "farthest":
    case "whitened": {
      const c = 2.01 * rho + (2.7 + 1.01 * (onDevice?.sums ?? 0)) * U + 1.01 * (dims + 4) * K;
      return { slack: 0, product: 2 * g + 2 * c, factor: c, size: sizeFactor, constant: 0 };
    }
    case "entropy": {
      const product = 1.01 * (g + 2.01 * (rho + 2 ** -50) + 2 * U + 2 * (dims + 6) * K);
      return { slack: 0, product, factor: 0, size: 2.7 * U + 3 * (dims + 8) * K, constant: 0 };
    }
    case "unit":
      return {
        slack: 0,
        product: 0,
        factor: 0,
        constant: 0.505 * (g + 2.01 * rho + 2 * U + (12 * dims + 64) * K),
      };
    case "inner":
      return { slack: 0, product: 1.01 * (g + 2.01 * rho + 2 * U + (dims + 4) * K), factor: 0, constant: 0 };
  }
}

function directBound({ core, dims, p, rounded, onDevice }: BoundProblem): Terms {
  const rho = rhoOf(rounded, onDevice);
  const evaluation = 1.01 * (dims + 8) * K;
  const sum = gamma(dims + 4) + evaluation;
  switch (core) {
    case "l2":
      return { slack: sum, product: 0, factor: 1.01 * 4 * rho, constant: 0 };
    case "l1":
      return { slack: sum, product: 0, factor: 1.01 * rho, constant: 0 };
    case "linf":
      return { slack: 4 * U, product: 0, factor: 1.01 * rho, constant: 0 };
    default: {
      const power = 1.01 * (sum + (6 * p + 700) * U);
      if (p > 2) return { slack: power + 1.01 * YOUNG, product: 0, factor: youngFactor(p, rho), constant: 0 };
      const factor = p >= 1 ? 1.01 * p * rho * 2 ** (p - 1) : 1.01 * rho ** p;
      return { slack: power, product: 0, factor, constant: 0 };
    }
  }
}

/** Young's inequality may take this share of the value. */
const YOUNG = 2 ** -13;

function youngFactor(p: number, rho: number): number {
  const e = (YOUNG / (p - 1)) ** ((p - 1) / p);
  return 1.01 * (rho / e) ** p * 2 ** (p - 1);
}

function rhoOf(rounded: boolean, onDevice: BoundProblem["onDevice"]): number {
  return (rounded ? (onDevice ? U : 2 ** -24) : 0) + 2 ** -52;
}

function gamma(n: number): number {
  return (n * U) / (1 - n * U);
}

/** Returns what flushing may add: each entry may lose `tiny`, and each product and partial sum TINY. */
function flushed({ core, dims, p, largest, onDevice }: BoundProblem): number {
  const tiny = onDevice ? TINY * (1 + 2 ** (onDevice.exponent + 1)) : TINY;
  switch (core) {
    case "dot":
    case "l2":
    case "l1":
    case "linf":
      return 8 * dims * tiny;
    case "lp":
      return p >= 1
        ? 2 * dims * TINY * (2 + p * (2 * largest) ** (p - 1))
        : 2 * dims * (TINY + (2 * TINY) ** p);
  }
}
