/**
 * This module turns Apache Arrow tables, as the package apache-arrow makes them, into tables; by their shape,
 * so that neither the package nor its version matters. Arrow files are stream.ts's.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { checkOptions } from "../../core/options.ts";
import { Bitset } from "../../table/bitset.ts";
import { MISSING_CODE, type Column, type NumericColumn } from "../../table/column.ts";
import { Dictionary } from "../../table/dictionary.ts";
import { repeatedName } from "../../table/names.ts";
import { Table } from "../../table/table.ts";
import { decimals, integers, times, type NumericReading, type Reading } from "../readings.ts";
import { plural } from "../../core/plural.ts";

/**
 * It is a Table of apache-arrow, as far as it is used.
 * @example
 * import { tableFromArrays } from "apache-arrow";
 * const arrow: ArrowTable = tableFromArrays({ id: Int32Array.of(7, 8), mass: Float32Array.of(3750, 5050) });
 * const table = tableFromArrow(arrow, { columns: ["mass"] });
 * encode(table, ["mass"]).data; // => [3750, 5050]
 */
export interface ArrowTable {
  readonly schema: { readonly fields: readonly ArrowField[] };
  readonly numRows: number;
  /** Returns the column at a position. */
  getChildAt(index: number): ArrowVector | null;
}

/**
 * A column has this name and type, as in apache-arrow's Field.
 * @example
 * import { tableFromArrays } from "apache-arrow";
 * const arrow: ArrowTable = tableFromArrays({ id: Int32Array.of(7, 8), mass: Float32Array.of(3750, 5050) });
 * const floats = arrow.schema.fields.filter(({ type }: ArrowField) => type.typeId === 3);
 * tableFromArrow(arrow, { columns: floats.map(({ name }) => name) }).names; // => ["mass"]
 */
export interface ArrowField {
  readonly name: string;
  readonly type: ArrowType;
}

/**
 * It is apache-arrow's DataType, as far as it is used.
 * @example
 * const type: ArrowType = { typeId: 7, scale: 1 }; // decimals of one digit after the point, 16 bytes each
 * const cell = { length: 1, nullCount: 0, get: () => 5, toArray: () => Uint32Array.of(5, 0, 0, 0) };
 * const schema = { fields: [{ name: "x", type }] };
 * const table = tableFromArrow({ schema, numRows: 1, getChildAt: () => cell });
 * encode(table, ["x"]).data; // => [0.5]
 */
export interface ArrowType {
  /** The number is that of the Arrow format's Type: 2 is Int, 3 Float, 5 Utf8 and so on; -1 is Dictionary. */
  readonly typeId: number;
  /** The values of a dictionary have this type. */
  readonly dictionary?: ArrowType;
  /** Times count 0 seconds, 1 milliseconds, 2 microseconds, 3 nanoseconds. */
  readonly unit?: number;
  /** Timestamps of a zone are those of UTC. */
  readonly timezone?: string | null;
  /** Decimals have this many digits after the point. */
  readonly scale?: number;
  /** Floats are 0 half, 1 single, 2 double. */
  readonly precision?: number;
}

/**
 * It holds the cells of a column, as apache-arrow's Vector.
 * @example
 * const get = (row: number) => [7, null][row];
 * const vector: ArrowVector = { length: 2, nullCount: 1, get, toArray: () => [7, 0] };
 * const schema = { fields: [{ name: "x", type: { typeId: 2 } }] };
 * const table = tableFromArrow({ schema, numRows: 2, getChildAt: () => vector });
 * encode(table, ["x"]).data; // => [7, NaN]
 */
export interface ArrowVector {
  readonly length: number;
  readonly nullCount: number;
  /** Returns the cell; null where it is missing. */
  get(index: number): unknown;
  /** Returns the stored numbers, cells without a value included. */
  toArray(): ArrayLike<unknown>;
}

const INT = 2;
const FLOAT = 3;
const UTF8 = 5;
const BOOL = 6;
const DECIMAL = 7;
const DATE = 8;
const TIME = 9;
const TIMESTAMP = 10;
const LARGE_UTF8 = 20;
const UTF8_VIEW = 24;
const DICTIONARY = -1;

/** The format has this number for seconds; its other units of time are those of PER_MS. */
const SECONDS = 0;
const PER_MS: Readonly<Record<number, number>> = { 1: 1, 2: 1000, 3: 1_000_000 };

/**
 * Makes a table of an Arrow table. Numbers become numeric columns; texts, booleans and dictionaries of texts
 * nominal ones; dates, times and timestamps milliseconds. Null and NaN are missing cells. Everything is
 * copied.
 * @throws InvalidInputError for anything but an Arrow table, for nested and binary values, naming the column,
 *   and for a value that float64 cannot hold, naming the row too.
 * @example
 * import { tableFromArrays } from "apache-arrow";
 * import { tableFromArrow } from "nearfield";
 *
 * // An Arrow file needs no apache-arrow: readTable reads it.
 * const arrow = tableFromArrays({ species: ["Adelie", "Gentoo"], mass: Float32Array.of(3750, 5050) });
 * const table = tableFromArrow(arrow);
 * table.names; // => ["species", "mass"]
 * table.column("species").kind; // => "nominal"
 */
export function tableFromArrow(
  arrow: ArrowTable,
  options: { readonly columns?: readonly string[] } = {},
): Table {
  checkOptions(options, "tableFromArrow", { columns: 1 });
  checkArrow(arrow);
  const { fields } = arrow.schema;
  const names = options.columns ?? fields.map(({ name }) => name);
  const columns = names.map((name) => {
    const at = fields.findIndex((field) => field.name === name);
    const vector = at < 0 ? null : arrow.getChildAt(at);
    if (vector === null) throw new InvalidInputError("the Arrow table has no such column", { column: name });
    if (vector.length !== arrow.numRows) {
      throw new InvalidInputError(
        `has ${plural(vector.length, "cell")}, but the Arrow table ${plural(arrow.numRows, "row")}`,
        {
          column: name,
        },
      );
    }
    return columnOf(fields[at], vector);
  });
  if (columns.length === 0)
    throw new InvalidInputError("a table needs at least one column; the Arrow table has none");
  const repeated = repeatedName(names);
  if (repeated !== undefined)
    throw new InvalidInputError("two columns of the Arrow table have this name", { column: repeated });
  return new Table(columns);
}

/**
 * Checks that a value has the shape of a table.
 * @throws InvalidInputError for one that has not
 */
function checkArrow(arrow: unknown): void {
  const { schema, getChildAt } = (arrow ?? {}) as Partial<Record<keyof ArrowTable, unknown>>;
  const { fields } = (schema ?? {}) as { readonly fields?: unknown };
  if (Array.isArray(fields) && typeof getChildAt === "function") return;
  throw new InvalidInputError(
    `the Arrow table must be one of apache-arrow's, such as tableFromIPC(bytes) gives, not ${givenText(arrow)}`,
  );
}

function givenText(value: unknown): string {
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return "bytes";
  return "an object without schema.fields and getChildAt";
}

/** A column has a file, and its first cell a row there. */
interface Where {
  readonly file?: string;
  readonly row?: number;
}

/**
 * Makes a column of a vector.
 * @throws InvalidInputError as tableFromArrow does.
 */
export function columnOf({ name, type }: ArrowField, vector: ArrowVector, where: Where = {}): Column {
  const values = type.typeId === DICTIONARY ? type.dictionary : type;
  const typeId = values?.typeId;
  if (typeId === UTF8 || typeId === LARGE_UTF8 || typeId === UTF8_VIEW || typeId === BOOL)
    return nominalColumn(name, vector, where);
  const numbers = values === undefined ? undefined : numbersOf(values, vector, type.typeId === DICTIONARY);
  if (numbers === undefined) {
    throw new InvalidInputError(
      `holds ${String(type)} values, which are neither numbers nor texts; name the columns to read (columns)`,
      { column: name },
    );
  }
  return { ...numericColumn(name, vector, numbers, where), ...typeOf(values, type) };
}

/** Returns the type of dates and times; those of a dictionary are rare and are left to be numbers. */
function typeOf(
  values: ArrowType | undefined,
  { typeId, timezone }: ArrowType,
): Pick<NumericColumn, "type" | "zone"> {
  if (values?.typeId !== typeId) return {};
  if (typeId === TIME) return { type: "time" };
  if (typeId !== DATE && typeId !== TIMESTAMP) return {};
  return { type: "date", ...(typeof timezone === "string" && timezone !== "" ? { zone: "UTC" } : {}) };
}

/** Makes a nominal column of texts, and of booleans as "true" and "false". */
function nominalColumn(name: string, vector: ArrowVector, where: Where): Column {
  const dictionary = new Dictionary();
  const codes = new Uint32Array(vector.length).fill(MISSING_CODE);
  const valid = Bitset.full(vector.length);
  for (let row = 0; row < vector.length; row++) {
    const cell = vector.get(row);
    if (cell === null || cell === undefined) valid.clear(row);
    else if (typeof cell === "string" || typeof cell === "boolean") codes[row] = dictionary.add(String(cell));
    else throw badCell(where, name, row, `is ${typeof cell}, but the column is declared to hold texts`);
  }
  return { kind: "nominal", name, codes, dictionary, ...(valid.count() < vector.length ? { valid } : {}) };
}

function numericColumn(
  name: string,
  vector: ArrowVector,
  readingAt: (row: number) => Reading,
  where: Where,
): NumericColumn {
  const values = new Float64Array(vector.length).fill(NaN);
  const valid = Bitset.full(vector.length);
  for (let row = 0; row < vector.length; row++) {
    if (vector.nullCount > 0 && vector.get(row) === null) {
      valid.clear(row);
      continue;
    }
    const value = readingAt(row);
    if (typeof value === "string") throw badCell(where, name, row, value);
    if (value === Infinity || value === -Infinity)
      throw badCell(where, name, row, `${value} is not a finite number`);
    if (Number.isNaN(value)) valid.clear(row);
    values[row] = value;
  }
  return { kind: "numeric", name, values, ...(valid.count() < vector.length ? { valid } : {}) };
}

/** Returns the numbers; undefined for types that hold none. */
function numbersOf(
  type: ArrowType,
  vector: ArrowVector,
  coded: boolean,
): ((row: number) => Reading) | undefined {
  const { typeId, unit = 1, precision, scale = 0 } = type;
  // Stored halves and the codes of a dictionary are not the numbers meant.
  if (typeId === FLOAT && (precision === 0 || coded)) return cellReader(vector, integers);
  if (coded) return typeId === INT ? cellReader(vector, integers) : undefined;
  // Both kinds of dates are given as milliseconds, or as Date by older versions.
  if (typeId === DATE) return cellReader(vector, integers);
  const stored = vector.toArray();
  if (typeId === FLOAT || typeId === INT) return storedReader(stored, integers);
  if (typeId === TIMESTAMP || typeId === TIME) return storedReader(stored, timesIn(unit));
  if (typeId === DECIMAL && ArrayBuffer.isView(stored))
    return decimalReader(stored, vector.length, decimals(scale));
  return undefined;
}

function timesIn(unit: number): NumericReading {
  if (unit === SECONDS) {
    const ofLong = (value: bigint) => integers.ofLong(value * 1000n);
    return { ...integers, ofNumber: (value) => value * 1000, ofLong };
  }
  return times(PER_MS[unit], "ms since 1970");
}

function cellReader(vector: ArrowVector, reading: NumericReading): (row: number) => Reading {
  return (row) => readingOf(vector.get(row), reading);
}

function storedReader(stored: ArrayLike<unknown>, reading: NumericReading): (row: number) => Reading {
  return (row) => readingOf(stored[row], reading);
}

function readingOf(value: unknown, reading: NumericReading): Reading {
  if (typeof value === "number") return reading.ofNumber(value);
  if (typeof value === "bigint") return reading.ofLong(value);
  if (value instanceof Date) return reading.ofNumber(value.getTime());
  return `is ${typeof value}, but the column is declared to hold numbers`;
}

/** Reads decimals, which are little-endian, in as many bytes as there are for each cell. */
function decimalReader(
  stored: ArrayBufferView,
  rows: number,
  reading: NumericReading,
): (row: number) => Reading {
  const bytes = new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength);
  const width = stored.byteLength / rows;
  return (row) => reading.ofBytes(bytes.slice(row * width, (row + 1) * width).reverse());
}

function badCell({ file, row: first = 0 }: Where, column: string, row: number, message: string) {
  return new InvalidInputError(message, {
    ...(file === undefined ? {} : { file }),
    row: first + row,
    column,
  });
}
