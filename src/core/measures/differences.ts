/**
 * Sums, maxima and angles of two rows without gaps, as plain loops in column order without fused multiply-add: what every
 * metric of the textbook kind is made of.
 */
import { pow } from "../fdlibm.ts";
import { exponentOf, scaleByPowerOfTwo } from "../math.ts";

export function squaredDifferences(x: Float64Array, q: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < x.length; j++) {
    const difference = x[j] - q[j];
    sum += difference * difference;
  }
  return sum;
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

/** 1 - cos in [0, 2]; 1 when a row is zero. Equal rows give exactly 0, since the root of a square is exact. */
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
