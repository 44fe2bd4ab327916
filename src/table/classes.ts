/**
 * This module numbers classes, for label columns here and for lists of labels in models/. Classes are
 * numbered in sorted order: numbers ascending, strings by code point. That order decides equal votes, so it
 * depends on neither locale nor UTF-16. RapidMiner's order is that of first appearance.
 */
import { InvalidInputError } from "../core/errors.ts";
import { MISSING_CODE, type Column, type NominalColumn } from "./column.ts";
import type { TableOrigin } from "./table.ts";

/** Rows are class numbers here. */
export interface NumberedClasses<Value> {
  /** They are the classes, whose numbers are their indices. */
  readonly classes: readonly Value[];
  /** Each row has a class number. */
  readonly codes: Uint32Array;
}

/** A row without a class has this code. */
export const NO_CLASS = MISSING_CODE;

/** Returns the values that occur, each once and in sorted order. */
export function sortedClasses<Value extends number | string>(values: Iterable<Value>): Value[] {
  return [...new Set(values)].sort(compareClasses);
}

/**
 * Returns the class number of each row, by value.
 * @param absent the number of a row whose value is no class
 */
export function numberRows<Value>(
  rows: ArrayLike<unknown>,
  classes: readonly Value[],
  absent: number,
): NumberedClasses<Value> {
  const codeOf = new Map<unknown, number>(classes.map((value, code) => [value, code]));
  return { classes, codes: Uint32Array.from(rows, (value) => codeOf.get(value) ?? absent) };
}

/**
 * Numbers the labels of a column.
 * @throws InvalidInputError when a label is missing; `origin` adds file and line.
 */
export function labelsOf(column: Column, origin?: TableOrigin): NumberedClasses<number | string> {
  checkAllLabelled(column, origin);
  if (column.kind === "nominal") return nominalLabels(column);
  return numberRows(column.values, sortedClasses(column.values), NO_CLASS);
}

/**
 * Returns RapidMiner's numbers: for a nominal column every value of its dictionary, in the order of that,
 * whether it occurs or not; for a numeric one the values in order of first appearance. A missing label
 * becomes class 0.
 * @throws InvalidInputError when all labels are missing.
 */
export function labelsByAppearance(column: Column, origin?: TableOrigin): NumberedClasses<number | string> {
  const found = column.kind === "numeric" ? numbersByAppearance(column.values) : mappingOf(column);
  if (found.classes.length > 0) return found;
  const place = { ...(origin === undefined ? {} : { file: origin.file }), column: column.name };
  throw new InvalidInputError("every label is missing; give at least one row a label", place);
}

/** @throws InvalidInputError for the first row without a label; `origin` adds file and line. */
export function checkAllLabelled(column: Column, origin?: TableOrigin): void {
  const gap = column.valid?.firstClear() ?? -1;
  if (gap < 0) return;
  throw new InvalidInputError(
    `the label ${origin === undefined ? `of row ${gap} (from 0) ` : ""}is missing; fill it in or remove the row`,
    {
      ...(origin === undefined ? {} : { file: origin.file, ...origin.placeOf(gap) }),
      column: column.name,
    },
  );
}

/**
 * Checks that labels of a test table can be compared by value with the classes of the training table.
 * @throws InvalidInputError when one is numeric and the other nominal.
 */
export function checkLabelKind(
  column: Column,
  classes: readonly (number | string)[],
  origin?: TableOrigin,
): void {
  const expected = typeof classes[0] === "string" ? "nominal" : "numeric";
  if (classes.length === 0 || column.kind === expected) return;
  const text = column.kind === "nominal" ? origin?.firstText(column.name) : undefined;
  throw new InvalidInputError(
    `the label is ${column.kind} here${text === undefined ? "" : ` (line ${text.line} is ${JSON.stringify(text.text)})`} but ` +
      `${expected} in the training table; read it the same way in both (option nominal: ${column.name})`,
    { ...(origin === undefined ? {} : { file: origin.file }), column: column.name },
  );
}

function compareClasses(a: number | string, b: number | string): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return compareCodePoints(String(a), String(b));
}

/**
 * Compares by code point, as Python and C sort UTF-8: U+FFFD comes before U+1F600, although its UTF-16 unit
 * is larger.
 */
export function compareCodePoints(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x !== y) return surrogatesLast(x) - surrogatesLast(y);
  }
  return a.length - b.length;
}

/**
 * Numbers nominal labels. Only values that occur become classes: a dictionary may hold more after Table.take.
 */
function nominalLabels({ codes, dictionary }: NominalColumn): NumberedClasses<string> {
  const { values } = dictionary;
  const present = [...new Set(codes)].sort((a, b) => compareCodePoints(values[a], values[b]));
  return { ...numberRows(codes, present, NO_CLASS), classes: present.map((code) => values[code]) };
}

function numbersByAppearance(values: Float64Array): NumberedClasses<number> {
  const present = [...new Set(values)].filter((value) => !Number.isNaN(value));
  return numberRows(values, present, 0);
}

function mappingOf({ codes, dictionary }: NominalColumn): NumberedClasses<string> {
  return { classes: dictionary.values, codes: codes.map((code) => (code === MISSING_CODE ? 0 : code)) };
}

function surrogatesLast(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
