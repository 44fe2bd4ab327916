/**
 * This module shapes a float64 row before it is scaled and rounded to float32, so that one matrix product
 * serves many measures: scaled to length 1, weighted, or what rareForms.ts makes of it. It is pure. A row may
 * also be one that no interval can describe; its verdict says so.
 */
import { centreAndNormalise, normaliseExponent } from "../measures/differences.ts";

export type RowForm =
  | { readonly kind: "plain" }
  /** Rows are scaled to length 1, after subtracting the row's own mean where `centred`. */
  | {
      readonly kind: "unit";
      readonly centred: boolean;
      /** Rows of zeros (constant ones where centred) get this verdict. */
      readonly zero: Verdict;
      /** The float64 definition does not guard against overflow, so rows far from 1 are "unknown". */
      readonly guarded: boolean;
    }
  | { readonly kind: "weighted"; readonly factors: Float64Array }
  /**
   * Few searches need such a form (rareForms.ts), which is told from others by its name; `shape` is its
   * shapeRow.
   */
  | { readonly kind: "own"; readonly name: string; readonly shape: (row: Float64Array) => RowFacts };

/**
 * Intervals hold the distances of a row with the verdict "normal". With "last" every distance is NaN, with
 * "unknown" any distance is possible.
 */
export type Verdict = "normal" | "last" | "unknown";

/** A row has these facts beside its entries. */
export interface RowFacts {
  readonly verdict: Verdict;
  /** It is the base of the row, where the form has one of its own. */
  readonly base: number;
  /** It is a magnitude that `Bound.sizeFactor` makes part of the margin. */
  readonly size: number;
  /** The interval takes this number for norm^power, before scaling; default that of the entries. */
  readonly power?: number;
}

/** Rows about which there is nothing to say have these facts. */
export const ordinary: RowFacts = { verdict: "normal", base: 0, size: 0 };
const unknown: RowFacts = { verdict: "unknown", base: 0, size: 0 };

/** Changes the row in place, and returns its facts. */
export function shapeRow(row: Float64Array, form: RowForm): RowFacts {
  switch (form.kind) {
    case "plain":
      return ordinary;
    case "unit":
      return makeUnit(row, form);
    case "weighted":
      for (let j = 0; j < row.length; j++) row[j] *= form.factors[j];
      return ordinary;
    case "own":
      return form.shape(row);
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
