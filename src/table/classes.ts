/**
 * A label column as class numbers. Classes are numbered in sorted order of their values: numbers ascending, strings by
 * code point. That order decides equal votes, so it depends on neither locale nor UTF-16. RapidMiner's order is that of
 * first appearance.
 */
import { InvalidInputError } from "../core/errors.ts";
import {
  cellOf,
  columnLength,
  MISSING_CODE,
  type Column,
  type NominalColumn,
  type NumericColumn,
} from "./column.ts";
import type { TableOrigin } from "./table.ts";

export type Classes = readonly number[] | readonly string[];

export interface Labels {
  /** Sorted; the class number is the index. */
  readonly classes: Classes;
  /** Class number per row. */
  readonly codes: Uint32Array;
}

/** The code of a label that is missing, or that is no class of the training table. */
export const NO_CLASS = MISSING_CODE;

/** @throws InvalidInputError when a label is missing; `origin` adds file and line. */
export function labelsOf(column: Column, origin?: TableOrigin): Labels {
  const gap = column.valid?.firstClear() ?? -1;
  if (gap >= 0) {
    throw new InvalidInputError(
      `the label ${origin === undefined ? `of row ${gap} (from 0) ` : ""}is missing; fill it in or remove the row`,
      placeOf(column, gap, origin),
    );
  }
  return column.kind === "numeric" ? numericLabels(column) : nominalLabels(column);
}

/**
 * RapidMiner's numbers: of a nominal column every value of its dictionary, in the order of that, whether it occurs or not;
 * of a numeric one the values in order of first appearance. A missing label becomes class 0.
 * @throws InvalidInputError when all labels are missing.
 */
export function labelsByAppearance(column: Column, origin?: TableOrigin): Labels {
  const { classes, codes } = column.kind === "numeric" ? numbersByAppearance(column) : mappingOf(column);
  if (classes.length > 0) return { classes, codes };
  const place = { ...(origin === undefined ? {} : { file: origin.file }), column: column.name };
  throw new InvalidInputError("every label is missing; give at least one row a label", place);
}

/**
 * Class numbers of another table's labels, compared by value; NO_CLASS where missing or unknown.
 * @throws InvalidInputError when one column is numeric and the other nominal.
 */
export function classCodes(column: Column, classes: Classes, origin?: TableOrigin): Uint32Array {
  const numbered = new Map<number | string, number>(classes.map((value, code) => [value, code]));
  const expected = typeof classes[0] === "string" ? "nominal" : "numeric";
  if (classes.length > 0 && column.kind !== expected) {
    const text = column.kind === "nominal" ? origin?.firstText(column.name) : undefined;
    throw new InvalidInputError(
      `the label is ${column.kind} here${text === undefined ? "" : ` (line ${text.line} is ${JSON.stringify(text.text)})`} but ` +
        `${expected} in the training table; read it the same way in both (--nominal ${column.name})`,
      { ...(origin === undefined ? {} : { file: origin.file }), column: column.name },
    );
  }
  return Uint32Array.from(
    { length: columnLength(column) },
    (_, row) => numbered.get(cellOf(column, row) ?? NaN) ?? NO_CLASS,
  );
}

/** By code point, as Python and C sort UTF-8: U+FFFD comes before U+1F600, although its UTF-16 unit is larger. */
export function compareCodePoints(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x !== y) return surrogatesLast(x) - surrogatesLast(y);
  }
  return a.length - b.length;
}

function numericLabels({ values }: NumericColumn): Labels {
  const classes = [...new Set(values)].sort((a, b) => a - b);
  const numbered = new Map(classes.map((value, code) => [value, code]));
  return { classes, codes: Uint32Array.from(values, (value) => numbered.get(value)!) };
}

/** Only values that occur become classes: a dictionary may hold more after Table.take. */
function nominalLabels({ codes, dictionary }: NominalColumn): Labels {
  const { values } = dictionary;
  const present = [...new Set(codes)].sort((a, b) => compareCodePoints(values[a], values[b]));
  const classOf = new Map(present.map((code, at) => [code, at]));
  return { classes: present.map((code) => values[code]), codes: codes.map((code) => classOf.get(code)!) };
}

function mappingOf({ codes, dictionary }: NominalColumn): Labels {
  return { classes: dictionary.values, codes: codes.map((code) => (code === MISSING_CODE ? 0 : code)) };
}

function numbersByAppearance({ values }: NumericColumn): Labels {
  const classes = [...new Set(values)].filter((value) => !Number.isNaN(value));
  const numbered = new Map(classes.map((value, code) => [value, code]));
  return { classes, codes: Uint32Array.from(values, (value) => numbered.get(value) ?? 0) };
}

function surrogatesLast(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

function placeOf(column: Column, row: number, origin: TableOrigin | undefined) {
  return origin === undefined
    ? { column: column.name }
    : { file: origin.file, ...origin.placeOf(row), column: column.name };
}
