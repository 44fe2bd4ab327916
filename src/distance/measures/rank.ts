/**
 * This module puts measures together: the type of a comparison of two rows, and the two ways to leave out
 * what is missing. NaN is a missing value; an attribute is common when it is present in both rows.
 */
import type { ColumnKind, Matrix } from "../../core/matrix.ts";

/** Compares training row x with query row q, of equal length. */
export type Rank = (x: Float64Array, q: Float64Array) => number;

/** Writes the ranks of the first `count` of `rows` of train with query row q, the same bits as one by one. */
export type RankRows = (
  train: Matrix,
  rows: Uint32Array,
  count: number,
  q: Float64Array,
  ranks: Float64Array,
) => void;

/**
 * Makes the measure of the common attributes alone, in their order; for rows without any, that of two empty
 * rows. It is `rank` bit for bit where nothing is missing.
 */
export function overCommon(rank: Rank): Rank {
  let xs = new Float64Array();
  let qs = new Float64Array();
  return (x, q) => {
    if (xs.length < x.length) {
      xs = new Float64Array(x.length);
      qs = new Float64Array(x.length);
    }
    let common = 0;
    for (let j = 0; j < x.length; j++) {
      if (Number.isNaN(x[j]) || Number.isNaN(q[j])) continue;
      xs[common] = x[j];
      qs[common] = q[j];
      common++;
    }
    return common === x.length ? rank(x, q) : rank(xs.subarray(0, common), qs.subarray(0, common));
  };
}

/** Makes a rank that is NaN for rows without a common attribute. */
export function unlessEmpty(rank: Rank): Rank {
  return (x, q) => (x.length === 0 ? NaN : rank(x, q));
}

/** Returns what one attribute adds. */
export type Term = (x: number, q: number, column: number) => number;

export interface SumOptions {
  /** Each column has a factor; undefined counts every column once. */
  readonly weights?: ArrayLike<number> | undefined;
  /** Multiplies by (weight of all columns) / (weight of the common ones), as scikit-learn's nan_euclidean. */
  readonly rescale?: boolean | undefined;
}

/**
 * Makes the rank of squared differences of numbers, and 1 for codes that differ, over the common attributes:
 * the bits of sumOverCommon without a call for each attribute, which takes ten times as long.
 */
export function mixedDifferences(kinds: readonly ColumnKind[] | undefined): Rank {
  const isCode = kinds && Uint8Array.from(kinds, (kind) => Number(kind !== "numeric"));
  return (x, q) => {
    let sum = 0;
    let common = 0;
    for (let j = 0; j < x.length; j++) {
      const difference = x[j] - q[j];
      if (Number.isNaN(difference)) continue;
      common++;
      if (isCode?.[j] !== 1) sum += difference * difference;
      else if (difference !== 0) sum += 1;
    }
    return common > 0 ? sum : NaN;
  };
}

/** Makes the rank sum w * term over the common attributes, in their order; NaN where there is none. */
export function sumOverCommon(term: Term, { weights, rescale = false }: SumOptions = {}): Rank {
  return (x, q) => {
    let sum = 0;
    let none = true;
    let common = 0;
    let all = 0;
    for (let j = 0; j < x.length; j++) {
      const weight = weights ? weights[j] : 1;
      all += weight;
      if (Number.isNaN(x[j]) || Number.isNaN(q[j])) continue;
      const added = term(x[j], q[j], j);
      sum += weights ? weight * added : added;
      common += weight;
      none = false;
    }
    if (none) return NaN;
    return rescale && common !== all ? (sum / common) * all : sum;
  };
}
