/**
 * These are sums, maxima and angles of two rows without gaps, as plain loops in column order without fused
 * multiply-add: every metric of the textbook kind is made of them.
 */
import { pow } from "../../core/float/fdlibm.ts";
import { exponentOf, scaleByPowerOfTwo } from "../../core/math.ts";
import type { Matrix } from "../../core/matrix.ts";
import type { RankRows } from "./rank.ts";

export function squaredDifferences(x: Float64Array, q: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < x.length; j++) {
    const difference = x[j] - q[j];
    sum += difference * difference;
  }
  return sum;
}

/**
 * Computes `squaredDifferences` of q and rows of train, four at a time: a sum waits for each of its
 * additions, four sums do not wait for each other, nor do rows that come from memory.
 */
export const squaredDifferencesOfRows: RankRows = (train, rows, count, q, ranks) => {
  for (let i = 0; i < count; i += 4) {
    const last = count - 1;
    fourSquaredDifferences(
      train,
      rows,
      i,
      Math.min(i + 1, last),
      Math.min(i + 2, last),
      Math.min(i + 3, last),
      q,
      ranks,
    );
  }
};

function fourSquaredDifferences(
  { data, cols }: Matrix,
  rows: Uint32Array,
  i0: number,
  i1: number,
  i2: number,
  i3: number,
  q: Float64Array,
  ranks: Float64Array,
): void {
  const at0 = rows[i0] * cols;
  const at1 = rows[i1] * cols;
  const at2 = rows[i2] * cols;
  const at3 = rows[i3] * cols;
  let sum0 = 0;
  let sum1 = 0;
  let sum2 = 0;
  let sum3 = 0;
  for (let j = 0; j < cols; j++) {
    const difference0 = data[at0 + j] - q[j];
    const difference1 = data[at1 + j] - q[j];
    const difference2 = data[at2 + j] - q[j];
    const difference3 = data[at3 + j] - q[j];
    sum0 += difference0 * difference0;
    sum1 += difference1 * difference1;
    sum2 += difference2 * difference2;
    sum3 += difference3 * difference3;
  }
  ranks[i0] = sum0;
  ranks[i1] = sum1;
  ranks[i2] = sum2;
  ranks[i3] = sum3;
}

export function absoluteDifferences(x: Float64Array, q: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < x.length; j++) sum += Math.abs(x[j] - q[j]);
  return sum;
}

export function largestDifference(x: Float64Array, q: Float64Array): number {
  let largest = 0;
  for (let j = 0; j < x.length; j++) {
    const difference = Math.abs(x[j] - q[j]);
    if (difference > largest) largest = difference;
  }
  return largest;
}

export function powerDifferences(x: Float64Array, q: Float64Array, p: number): number {
  let sum = 0;
  for (let j = 0; j < x.length; j++) sum += pow(Math.abs(x[j] - q[j]), p);
  return sum;
}

export function dot(x: Float64Array, q: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < x.length; j++) sum += x[j] * q[j];
  return sum;
}

export function negativeDot(x: Float64Array, q: Float64Array): number {
  return -dot(x, q);
}

/**
 * Returns 1 - cos in [0, 2]; 1 when a row is zero. Equal rows give exactly 0, since the root of a square is
 * exact.
 */
export function cosineDistance(x: Float64Array, q: Float64Array): number {
  const xx = dot(x, x);
  const qq = dot(q, q);
  if (xx === 0 || qq === 0) return 1;
  return Math.min(Math.max(1 - dot(x, q) / Math.sqrt(xx * qq), 0), 2);
}

/** Scales a row by a power of two to a largest entry in [1/2, 1), which changes no bit of the cosine. */
export function normaliseExponent(row: Float64Array): void {
  let largest = 0;
  for (const value of row) largest = Math.max(largest, Math.abs(value));
  if (largest === 0) return;
  const exponent = -exponentOf(largest);
  for (let j = 0; j < row.length; j++) row[j] = scaleByPowerOfTwo(row[j], exponent);
}

export function centreAndNormalise(row: Float64Array): void {
  normaliseExponent(row);
  let sum = 0;
  for (const value of row) sum += value;
  const mean = sum / row.length;
  for (let j = 0; j < row.length; j++) row[j] -= mean;
  normaliseExponent(row);
}
