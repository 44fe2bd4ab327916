/**
 * Exact k-nearest neighbours by brute force: the definitions of the contract (section 2) in plain float64
 * loops, every row compared with every query, all ranks sorted. Slow and obvious on purpose; shares no code
 * with src/ but types.
 */
import pow from "@stdlib/math-base-special-pow";
import type { MetricName } from "../../src/distance/metric.ts";

/** The metrics of section 2; the others are in measures.ts. */
export type ClassicMetric = Extract<
  MetricName,
  | "euclidean"
  | "sqeuclidean"
  | "manhattan"
  | "chebyshev"
  | "minkowski"
  | "cosine"
  | "correlation"
  | "inner_product"
>;

export interface Rows {
  readonly data: ArrayLike<number | bigint>;
  readonly rows: number;
  readonly cols: number;
}

export interface Question {
  readonly metric?: ClassicMetric | undefined;
  /** Of minkowski; default 2. */
  readonly p?: number | undefined;
  readonly k: number;
}

/** Row-major [queries][k]. */
export interface Answer {
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
}

export function bruteForce(train: Rows, queries: Rows, question: Question): Answer {
  const { k } = question;
  const indices = new Uint32Array(queries.rows * k);
  const distances = new Float64Array(queries.rows * k);
  const references = Array.from({ length: train.rows }, (_, i) => rowOf(train, i));
  for (let q = 0; q < queries.rows; q++) {
    const found = nearest(references, rowOf(queries, q), question);
    indices.set(
      found.map(({ index }) => index),
      q * k,
    );
    distances.set(
      found.map(({ distance }) => distance),
      q * k,
    );
  }
  return { indices, distances };
}

export function rowOf({ data, cols }: Rows, index: number): number[] {
  return Array.from({ length: cols }, (_, j) => Number(data[index * cols + j]));
}

/** The k first rows by (rank by value, index), NaN last. */
function nearest(references: number[][], query: number[], question: Question) {
  const ranks = Float64Array.from(references, (row) => rankOf(query, row, question));
  const { p = 2, k } = question;
  // Numbers are sorted ten times as fast as rows, of which only those up to the k-th rank are left to sort.
  const last = ranks.slice().sort()[k - 1];
  const all: { index: number; rank: number }[] = [];
  ranks.forEach((rank, index) => {
    if (!(rank > last) && !(Number.isNaN(rank) && last <= Infinity)) all.push({ index, rank });
  });
  all.sort((a, b) => compareValues(a.rank, b.rank) || a.index - b.index);
  const distance = (rank: number) => (hasOwnRoot(question) ? pow(rank, 1 / p) : rank);
  return all.slice(0, k).map(({ index, rank }) => ({ index, distance: distance(rank) }));
}

type Measure = Omit<Question, "k">;

/** Minkowski with an exponent other than 1, 2 and infinity is ordered by the sum before the root. */
function hasOwnRoot({ metric, p = 2 }: Measure): boolean {
  return metric === "minkowski" && ![1, 2, Infinity].includes(p);
}

/** What neighbours are ordered by: the distance, but for those with a root of their own. */
export function rankOf(a: readonly number[], b: readonly number[], measure: Measure): number {
  return hasOwnRoot(measure) ? powerSum(a, b, measure.p ?? 2) : distanceOf(a, b, measure);
}

function compareValues(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The metric's own value for one pair. */
export function distanceOf(
  a: readonly number[],
  b: readonly number[],
  question: Omit<Question, "k">,
): number {
  const { metric = "euclidean", p = 2 } = question;
  switch (metric) {
    case "euclidean":
      return Math.sqrt(squares(a, b));
    case "sqeuclidean":
      return squares(a, b);
    case "manhattan":
      return absolutes(a, b);
    case "chebyshev":
      return largest(a, b);
    case "minkowski":
      if (p === 1) return absolutes(a, b);
      if (p === 2) return Math.sqrt(squares(a, b));
      return p === Infinity ? largest(a, b) : pow(powerSum(a, b, p), 1 / p);
    case "cosine":
      return cosine(a, b);
    case "correlation":
      return cosine(centred(a), centred(b));
    case "inner_product":
      return -product(a, b);
  }
}

function squares(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

function absolutes(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += Math.abs(a[j] - b[j]);
  return sum;
}

function largest(a: readonly number[], b: readonly number[]): number {
  let most = 0;
  for (let j = 0; j < a.length; j++) most = Math.max(most, Math.abs(a[j] - b[j]));
  return most;
}

function powerSum(a: readonly number[], b: readonly number[], p: number): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += pow(Math.abs(a[j] - b[j]), p);
  return sum;
}

function product(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}

function cosine(x: readonly number[], y: readonly number[]): number {
  const a = withoutExponent(x);
  const b = withoutExponent(y);
  const aa = product(a, a);
  const bb = product(b, b);
  if (aa === 0 || bb === 0) return 1;
  return Math.max(0, Math.min(2, 1 - product(a, b) / Math.sqrt(aa * bb)));
}

function centred(row: readonly number[]): number[] {
  const scaled = withoutExponent(row);
  let sum = 0;
  for (const value of scaled) sum += value;
  return scaled.map((value) => value - sum / row.length);
}

/**
 * Halved or doubled until the largest entry is in [1, 2): no bit of a cosine depends on it, but overflow
 * does.
 */
function withoutExponent(row: readonly number[]): number[] {
  const most = Math.max(...row.map(Math.abs));
  if (most === 0) return [...row];
  let scaled = [...row];
  let top = most;
  for (; top >= 2; top /= 2) scaled = scaled.map((value) => value / 2);
  for (; top < 1; top *= 2) scaled = scaled.map((value) => value * 2);
  return scaled;
}
