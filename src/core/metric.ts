/**
 * The metrics and their float64 definitions: the last word on every distance, on every backend (contracts, sections 1
 * and 2). Sums run over the columns in their order, without fused multiply-add. Not here: the float32 filters, which
 * only decide which rows are evaluated (bound.ts, prepare.ts).
 */
import { InvalidInputError, oneOf } from "./errors.ts";
import { pow } from "./fdlibm.ts";
import { exponentOf, scaleByPowerOfTwo } from "./math.ts";

/**
 * The metrics there are; see `MetricOptions`.
 * @example
 * metricNames.includes("cosine"); // => true
 */
export const metricNames = [
  "euclidean",
  "sqeuclidean",
  "manhattan",
  "chebyshev",
  "minkowski",
  "cosine",
  "correlation",
  "inner_product",
] as const;

/** One of `metricNames`. */
export type MetricName = (typeof metricNames)[number];

/** How far two rows are apart. */
export interface MetricOptions {
  /** Default "euclidean". */
  readonly metric?: MetricName | undefined;
  /** Exponent of minkowski, above 0, Infinity allowed; default 2. */
  readonly p?: number | undefined;
}

/**
 * A distance in three steps: each row is made ready on its own, `rank` compares two ready rows, `distance` turns a
 * rank into the reported distance. Neighbours are ordered by `distance(rank)`, or by `rank` where `ordersByRank`.
 */
export interface Metric {
  readonly name: MetricName;
  readonly p: number;
  /** Distances may be negative. */
  readonly signed: boolean;
  /** Minkowski with an exponent other than 1, 2 and infinity: its root would only blur the order. */
  readonly ordersByRank: boolean;
  /** Changes a float64 row in place; undefined when rows are compared as they are. */
  readonly ready: ((row: Float64Array) => void) | undefined;
  rank(a: Float64Array, b: Float64Array): number;
  distance(rank: number): number;
}

/** @throws InvalidInputError for an unknown name or an exponent that is not above 0. */
export function resolveMetric({ metric = "euclidean", p = 2 }: MetricOptions = {}): Metric {
  switch (metric) {
    case "euclidean":
      return { ...plain, name: metric, p: 2, rank: squaredDifferences, distance: Math.sqrt };
    case "sqeuclidean":
      return { ...plain, name: metric, p: 2, rank: squaredDifferences };
    case "manhattan":
      return { ...plain, name: metric, p: 1, rank: absoluteDifferences };
    case "chebyshev":
      return { ...plain, name: metric, p: Infinity, rank: largestDifference };
    case "minkowski":
      return minkowski(p);
    case "cosine":
      return { ...plain, name: metric, p: 2, ready: normaliseExponent, rank: cosineDistance };
    case "correlation":
      return { ...plain, name: metric, p: 2, ready: centreAndNormalise, rank: cosineDistance };
    case "inner_product":
      return { ...plain, name: metric, p: 2, signed: true, rank: negativeDot };
    default:
      throw new InvalidInputError(`unknown metric ${JSON.stringify(metric)}; expected ${oneOf(metricNames)}`);
  }
}

const plain = {
  signed: false,
  ordersByRank: false,
  ready: undefined,
  distance: (rank: number) => rank,
} as const;

function minkowski(p: number): Metric {
  if (!(p > 0)) throw new InvalidInputError(`p is ${p}; the Minkowski exponent must be above 0`);
  if (p === 1) return { ...plain, name: "minkowski", p, rank: absoluteDifferences };
  if (p === 2) return { ...plain, name: "minkowski", p, rank: squaredDifferences, distance: Math.sqrt };
  if (p === Infinity) return { ...plain, name: "minkowski", p, rank: largestDifference };
  return {
    ...plain,
    name: "minkowski",
    p,
    ordersByRank: true,
    rank: (a, b) => powerDifferences(a, b, p),
    distance: (rank) => pow(rank, 1 / p),
  };
}

function squaredDifferences(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) {
    const difference = a[j] - b[j];
    sum += difference * difference;
  }
  return sum;
}

function absoluteDifferences(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += Math.abs(a[j] - b[j]);
  return sum;
}

function largestDifference(a: Float64Array, b: Float64Array): number {
  let largest = 0;
  for (let j = 0; j < a.length; j++) {
    const difference = Math.abs(a[j] - b[j]);
    if (difference > largest) largest = difference;
  }
  return largest;
}

function powerDifferences(a: Float64Array, b: Float64Array, p: number): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += pow(Math.abs(a[j] - b[j]), p);
  return sum;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}

function negativeDot(a: Float64Array, b: Float64Array): number {
  return -dot(a, b);
}

/** 1 - cos in [0, 2]; 1 when a row is zero. Equal rows give exactly 0, since the root of a square is exact. */
function cosineDistance(a: Float64Array, b: Float64Array): number {
  const aa = dot(a, a);
  const bb = dot(b, b);
  if (aa === 0 || bb === 0) return 1;
  return Math.min(Math.max(1 - dot(a, b) / Math.sqrt(aa * bb), 0), 2);
}

/** Scales a row by a power of two to a largest entry in [1/2, 1), which changes no bit of the cosine. */
function normaliseExponent(row: Float64Array): void {
  let largest = 0;
  for (const value of row) largest = Math.max(largest, Math.abs(value));
  if (largest === 0) return;
  const exponent = -exponentOf(largest);
  for (let j = 0; j < row.length; j++) row[j] = scaleByPowerOfTwo(row[j], exponent);
}

function centreAndNormalise(row: Float64Array): void {
  normaliseExponent(row);
  let sum = 0;
  for (const value of row) sum += value;
  const mean = sum / row.length;
  for (let j = 0; j < row.length; j++) row[j] -= mean;
  normaliseExponent(row);
}
