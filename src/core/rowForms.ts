/**
 * What a float64 row becomes before it is scaled and rounded to float32, so that one matrix product serves many measures:
 * scaled to length 1, weighted, whitened, or its logarithm. Plain data and pure functions. A row may also be one that no
 * interval can describe; its verdict says so.
 */
import { log } from "./explog.ts";
import { centreAndNormalise, normaliseExponent } from "./measures/differences.ts";

export type RowForm =
  | { readonly kind: "plain" }
  /** Length 1, after subtracting the row's own mean where `centred`. */
  | {
      readonly kind: "unit";
      readonly centred: boolean;
      /** What rows of zeros (constant ones where centred) are. */
      readonly zero: Verdict;
      /** The float64 definition does not guard against overflow, so rows far from 1 are "unknown". */
      readonly guarded: boolean;
    }
  | { readonly kind: "weighted"; readonly factors: Float64Array }
  /** Row-major [cols][cols]: the row becomes the product of this and the row. */
  | { readonly kind: "whitened"; readonly whitening: Float64Array }
  /** Training rows x of a divergence sum x log(x / q), whose base is sum x log x, less sum x where `differences`. */
  | { readonly kind: "entropy"; readonly binary: boolean; readonly differences: boolean }
  /** Its queries, which become log q. */
  | { readonly kind: "logarithm"; readonly binary: boolean; readonly differences: boolean };

/** "last": every distance is NaN. "unknown": any distance is possible. */
export type Verdict = "normal" | "last" | "unknown";

/** What belongs to a row beside its entries. */
export interface RowFacts {
  readonly verdict: Verdict;
  /** Its base, where the form has one of its own. */
  readonly base: number;
  /** A magnitude that `Bound.sizeFactor` makes part of the margin. */
  readonly size: number;
}

const ordinary: RowFacts = { verdict: "normal", base: 0, size: 0 };
const unknown: RowFacts = { verdict: "unknown", base: 0, size: 0 };
const last: RowFacts = { verdict: "last", base: 0, size: 0 };

/** Changes the row in place. */
export function shapeRow(row: Float64Array, form: RowForm): RowFacts {
  switch (form.kind) {
    case "plain":
      return ordinary;
    case "unit":
      return makeUnit(row, form);
    case "weighted":
      for (let j = 0; j < row.length; j++) row[j] *= form.factors[j];
      return ordinary;
    case "whitened":
      return whiten(row, form.whitening);
    case "entropy":
      return takeEntropy(row, form);
    case "logarithm":
      return takeLogarithm(row, form);
  }
}

/** Squares of squares of numbers in this range, and sums of 2^20 of them, neither overflow nor underflow. */
const [LEAST, MOST] = [2 ** -150, 2 ** 150];

function makeUnit(row: Float64Array, form: Extract<RowForm, { kind: "unit" }>): RowFacts {
  if (form.guarded && !isGuarded(row)) return blank(row, unknown);
  if (form.centred) centreAndNormalise(row);
  else normaliseExponent(row);
  let sum = 0;
  for (const value of row) sum += value * value;
  if (sum === 0) return { ...ordinary, verdict: form.zero };
  const length = Math.sqrt(sum);
  for (let j = 0; j < row.length; j++) row[j] /= length;
  return ordinary;
}

function isGuarded(row: Float64Array): boolean {
  let largest = 0;
  for (const value of row) largest = Math.max(largest, Math.abs(value));
  return largest === 0 || (largest >= LEAST && largest <= MOST);
}

function blank(row: Float64Array, facts: RowFacts): RowFacts {
  row.fill(0);
  return facts;
}

/** size: the square of the row before. */
function whiten(row: Float64Array, whitening: Float64Array): RowFacts {
  const before = row.slice();
  let size = 0;
  for (const value of before) size += value * value;
  for (let at = 0, i = 0; i < row.length; i++) {
    let sum = 0;
    for (let j = 0; j < row.length; j++, at++) sum += whitening[at] * before[j];
    row[i] = sum;
  }
  return { ...ordinary, size };
}

/** size: sum |x log x| + 1.5 x. With any value of 0 or less all distances from usual queries are NaN. */
function takeEntropy(row: Float64Array, form: Extract<RowForm, { kind: "entropy" }>): RowFacts {
  let base = 0;
  let size = 0;
  for (const x of row) {
    if (!(x > 0)) return blank(row, last);
    if (!isModerate(x)) return blank(row, unknown);
    const term = x * logarithm(x, form.binary);
    base += term;
    size += Math.abs(term) + 1.5 * x;
    if (form.differences) base -= x;
  }
  return { verdict: "normal", base, size };
}

/** size: sum q where differences enter. */
function takeLogarithm(row: Float64Array, form: Extract<RowForm, { kind: "logarithm" }>): RowFacts {
  let size = 0;
  for (let j = 0; j < row.length; j++) {
    const q = row[j];
    if (!(q > 0) || !isModerate(q)) return blank(row, unknown);
    if (form.differences) size += q;
    row[j] = logarithm(q, form.binary);
  }
  return { ...ordinary, size };
}

/** Quotients of such numbers are normal numbers. */
function isModerate(x: number): boolean {
  return x >= 2 ** -500 && x <= 2 ** 500;
}

function logarithm(x: number, binary: boolean): number {
  return binary ? log(x) / Math.LN2 : log(x);
}
