/**
 * This module checks what callers may pass as a column and turns it into one. It parses no text: cells of a
 * file are parsed in io/, here a string is a nominal value even when it looks like a number.
 */
import { InvalidInputError } from "../core/errors.ts";
import type { NumericArray } from "../core/matrix.ts";
import { Bitset } from "./bitset.ts";
import { MISSING_CODE, type Column } from "./column.ts";
import { Dictionary } from "./dictionary.ts";

/**
 * Callers pass a cell in this form; null, undefined and NaN mean missing.
 * @example
 * const rows: Record<string, Cell>[] = [{ x: 1, kind: "a" }, { x: NaN, kind: null }, { x: 3 }];
 * encode(Table.fromRows(rows), ["x", "kind"]).data; // => [1, 0, NaN, NaN, 3, NaN]
 */
export type Cell = number | string | null | undefined;

/**
 * Callers pass a column in this form.
 * @example
 * const columns: Record<string, ColumnInput> = { id: BigInt64Array.of(7n, 8n), kind: ["a", null] };
 * const table = Table.fromColumns(columns);
 * table.columns.map(({ kind }) => kind); // => ["numeric", "nominal"]
 */
export type ColumnInput =
  | NumericArray
  | BigInt64Array
  | BigUint64Array
  | readonly (number | null | undefined)[]
  | readonly (string | null | undefined)[]
  | readonly Cell[];

const EXACT_INTEGERS = 2n ** 53n;

export function columnFrom(name: string, input: ColumnInput): Column {
  if (input instanceof BigInt64Array || input instanceof BigUint64Array) {
    return numericColumn(
      name,
      Float64Array.from(input, (value, row) => exactNumber(name, value, row)),
    );
  }
  if (ArrayBuffer.isView(input)) {
    return numericColumn(name, input instanceof Float64Array ? input : Float64Array.from(input));
  }
  if (!Array.isArray(input)) {
    throw new InvalidInputError("is neither a typed array nor an array of numbers or strings", {
      column: name,
    });
  }
  const cells: readonly Cell[] = input;
  const sample = cells.find((cell) => cell !== null && cell !== undefined);
  return typeof sample === "string"
    ? nominalColumn(name, cells)
    : numericColumn(name, numbersOf(name, cells));
}

export function columnsFromRows(rows: readonly Readonly<Record<string, Cell>>[]): Record<string, Cell[]> {
  const columns = new Map<string, Cell[]>();
  if (!Array.isArray(rows))
    throw new InvalidInputError(`the rows are ${shown(rows)}; expected an array of objects`);
  rows.forEach((row: Readonly<Record<string, Cell>> | null | undefined, at) => {
    if (typeof row !== "object" || row === null || Array.isArray(row))
      throw new InvalidInputError(
        `row ${at} is ${shown(row)}; expected an object with a cell for each column, such as { x: 1 }`,
      );
    for (const [name, cell] of Object.entries(row)) {
      let cells = columns.get(name);
      if (cells === undefined) columns.set(name, (cells = new Array<Cell>(rows.length).fill(null)));
      cells[at] = cell;
    }
  });
  return Object.fromEntries(columns);
}

function shown(value: unknown): string {
  return Array.isArray(value)
    ? "an array"
    : typeof value === "string"
      ? JSON.stringify(value)
      : String(value);
}

function numericColumn(name: string, values: Float64Array): Column {
  let valid: Bitset | undefined;
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (Number.isFinite(value)) continue;
    if (!Number.isNaN(value)) {
      throw new InvalidInputError(`row ${row} is ${value}; a table's numbers must be finite`, {
        column: name,
      });
    }
    valid ??= Bitset.full(values.length);
    valid.clear(row);
  }
  return { kind: "numeric", name, values, ...(valid === undefined ? {} : { valid }) };
}

function nominalColumn(name: string, cells: readonly Cell[]): Column {
  const codes = new Uint32Array(cells.length).fill(MISSING_CODE);
  const dictionary = new Dictionary();
  const valid = new Bitset(cells.length);
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row];
    if (cell === null || cell === undefined) continue;
    if (typeof cell !== "string") throw mixed(name, row, cell, "strings");
    codes[row] = dictionary.add(cell);
    valid.set(row);
  }
  const gaps = valid.count() < cells.length ? { valid } : {};
  return { kind: "nominal", name, codes, dictionary, ...gaps };
}

function numbersOf(name: string, cells: readonly Cell[]): Float64Array {
  return Float64Array.from({ length: cells.length }, (_, row) => {
    const cell = cells[row] ?? NaN;
    if (typeof cell !== "number") throw mixed(name, row, cell, "numbers");
    return cell;
  });
}

function exactNumber(name: string, value: bigint, row: number): number {
  if (value <= EXACT_INTEGERS && value >= -EXACT_INTEGERS) return Number(value);
  throw new InvalidInputError(
    `row ${row} is ${value}, beyond 2^53, where float64 is no longer exact; rescale it or pass the column as strings`,
    { column: name },
  );
}

function mixed(name: string, row: number, cell: unknown, expected: string): InvalidInputError {
  const is = `row ${row} is the ${cell instanceof Date ? "Date" : typeof cell} ${textOf(cell)}`;
  const isCell = typeof cell === "string" || typeof cell === "number" || typeof cell === "bigint";
  const message = isCell
    ? `${is} among ${expected}; make all cells ${expected} or null`
    : `${is}; cells are numbers, strings or null, such as ${cell instanceof Date ? "date.getTime()" : "String(cell)"}`;
  return new InvalidInputError(message, { column: name });
}

/** Writes a cell of any kind, as JSON unless that has no text for it. */
function textOf(cell: unknown): string {
  if (typeof cell === "bigint") return `${cell}n`;
  try {
    const text = JSON.stringify(cell) as string | undefined;
    return text === undefined || text === "null" ? String(cell) : text;
  } catch {
    return String(cell);
  }
}
