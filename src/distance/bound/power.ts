/**
 * This module gives the interval of a power of an inner product (contract/power.ts), from that of the inner
 * product, whose words are bound.ts's. It is a file of its own, since few searches need it.
 *
 * The rank is K(a,a) + K(b,b) - 2 K(a,b) with K(a,b) = (a.b + s)^p. The inner product errs by h A B with h =
 * g + 2.01 rho + 2 u + (d+4) k, float64 evaluation included: that is the square of its product's factor. With
 * S = A B + |s| adding s, a float32 by then, errs by 2 u S, and each of p - 1 products by u of itself, so
 * that K(a,b) errs by e S^p at most, e = (1 + h + 3.1 u)^p - 1. The two additions of bases and power err by
 * 2.01 u (|K(a,a)| + |K(b,b)| + 2 (1+e) S^p), the bases by u/2 of themselves from rounding and some (p (d+4)
 * + 4) k, below u / 20, from float64; float64 adds with k in place of u.
 *
 * With P(a) = (A^2 + |s|)^p, |K(a,a)| <= P(a), and S^p <= sqrt(P(a) P(b)), since S <= sqrt(A^2 + |s|)
 * sqrt(B^2 + |s|) by Cauchy-Schwarz. So rows have P for what bound.ts calls norm^2: product = sqrt(2 e + 4.1
 * u (1+e)) sqrt(P), margin = 2.6 u P.
 *
 * Flushing takes 8 d t (1 + A + B) from an inner product at most (t = 2^-126), s included, which moves the
 * power by p (1+e) S^(p-1) times that; and t from each product, which later factors multiply by at most (1+e)
 * (1 + S^p). With M the larger of A^2 + |s| and B^2 + |s|, S <= M, and 1 + A + B <= 3 (1 + M), all of it is
 * within 160 d p t (1+e) (1 + M^p): 20 p (1+e) times what flushing adds to the margins of an inner product,
 * which are 8 d t (1 + A^2) each.
 */
import type { Bound } from "./bound.ts";

const U = 2 ** -23;

/**
 * Makes the bound of a power from that of the inner product.
 * @param inner the bound of the inner product, whose margins hold nothing but what flushing takes
 * @param p a whole number of factors
 */
export function powerBound(inner: Bound, p: number): Bound {
  const e = (1 + inner.productFactor ** 2 + 3.1 * U) ** p - 1;
  const flushed = 20 * p * (1 + e) * inner.marginConstant;
  return {
    slack: inner.slack,
    productFactor: Math.sqrt(2 * e + 4.1 * U * (1 + e)) * ENLARGE,
    marginFactor: (2.6 * U + flushed) * ENLARGE,
    sizeFactor: 0,
    marginConstant: flushed * ENLARGE,
  };
}

/** Coefficients are enlarged by it for their rounding, as in bound.ts. */
const ENLARGE = 1 + 2 ** -10;
