/**
 * This module holds the cells of one column of a chunk while its rows arrive, in memory that is used again
 * for the next chunk. The meaning of a file's cells is its format's business.
 */
import { Bitset } from "../table/bitset.ts";
import { MISSING_CODE, type Column, type NominalColumn, type NumericColumn } from "../table/column.ts";
import type { SharedDictionary } from "./sharedDictionary.ts";

export type ChunkColumn = NumericChunk | NominalChunk;

/** The columns of a file have these settings in common. */
interface Common {
  /** A chunk has at most this many rows. */
  readonly maxRows: number;
  /** Columns without any have these cells. */
  readonly gaps: Gaps;
}

/**
 * Makes a column of chunks.
 * @param shared the dictionary of a nominal column
 * @param type the type of a numeric one, where it holds dates or times
 */
export function chunkColumn(
  name: string,
  shared: SharedDictionary | undefined,
  common: Common,
  type: Pick<NumericColumn, "type" | "zone"> = {},
): ChunkColumn {
  return shared === undefined ? new NumericChunk(name, common, type) : new NominalChunk(name, shared, common);
}

/**
 * Stands for columns without any value in a chunk, which share one memory. There may be a hundred thousand
 * columns of which each chunk has a cell in a few.
 */
export class Gaps {
  #rows = 0;
  #valid = new Bitset(0);
  #values: Float64Array | undefined;
  #codes: Uint32Array | undefined;

  numbers(rows: number): Pick<NumericColumn, "values" | "valid"> {
    this.#sizeTo(rows);
    return { values: (this.#values ??= new Float64Array(rows).fill(NaN)), valid: this.#valid };
  }

  texts(rows: number): Pick<NominalColumn, "codes" | "valid"> {
    this.#sizeTo(rows);
    return { codes: (this.#codes ??= new Uint32Array(rows).fill(MISSING_CODE)), valid: this.#valid };
  }

  #sizeTo(rows: number): void {
    if (rows === this.#rows) return;
    this.#rows = rows;
    this.#valid = new Bitset(rows);
    this.#values = this.#codes = undefined;
  }
}

/** A text file has at most this many columns: each takes a kilobyte or two, and a few characters name one. */
export const MOST_TEXT_COLUMNS = 2 ** 17;

/** This many rows are allocated at first: there may be a hundred thousand columns. */
const FIRST_ROWS = 16;

class NumericChunk {
  readonly kind = "numeric";
  readonly name: string;
  readonly #common: Common;
  readonly #type: Pick<NumericColumn, "type" | "zone">;
  /** They are NaN where no value was added. */
  #values = new Float64Array(0);
  #added = 0;

  constructor(name: string, common: Common, type: Pick<NumericColumn, "type" | "zone">) {
    this.name = name;
    this.#type = type;
    this.#common = common;
  }

  /**
   * Adds a value. Rows come in order, from 0 after each take(). Those that are left out are missing cells,
   * which cost nothing until then: there may be thousands of columns of which a row has one.
   */
  add(row: number, value: number): void {
    if (row >= this.#values.length) {
      const length = grownLength(this.#values.length, row, this.#common.maxRows);
      this.#values = lengthened(this.#values, new Float64Array(length), NaN);
    }
    this.#values[row] = value;
    this.#added++;
  }

  take(rows: number): Column {
    const added = this.#added;
    if (added === 0) return this.gap(rows);
    const values = lengthened(this.#values.subarray(0, rows), new Float64Array(rows), NaN);
    this.#values.fill(NaN, 0, rows);
    this.#added = 0;
    const column: Column = { kind: "numeric", name: this.name, ...this.#type, values };
    return added === rows ? column : { ...column, valid: bitsOf(values, added, (value) => value === value) };
  }

  /** Makes a column of gaps alone. */
  gap(rows: number): Column {
    return { kind: "numeric", name: this.name, ...this.#type, ...this.#common.gaps.numbers(rows) };
  }
}

class NominalChunk {
  readonly kind = "nominal";
  readonly name: string;
  readonly #shared: SharedDictionary;
  readonly #common: Common;
  /** They are MISSING_CODE where no text was added. */
  #codes = new Uint32Array(0);
  #added = 0;

  constructor(name: string, shared: SharedDictionary, common: Common) {
    this.name = name;
    this.#shared = shared;
    this.#common = common;
  }

  /** Adds a text. Rows come as those of numbers do. */
  add(row: number, text: string): void {
    if (row >= this.#codes.length) {
      const length = grownLength(this.#codes.length, row, this.#common.maxRows);
      this.#codes = lengthened(this.#codes, new Uint32Array(length), MISSING_CODE);
    }
    this.#codes[row] = this.#shared.codeOf(text);
    this.#added++;
  }

  take(rows: number): Column {
    const added = this.#added;
    if (added === 0) return this.gap(rows);
    const codes = lengthened(this.#codes.subarray(0, rows), new Uint32Array(rows), MISSING_CODE);
    this.#codes.fill(MISSING_CODE, 0, rows);
    this.#added = 0;
    const column: Column = { kind: "nominal", name: this.name, codes, dictionary: this.#shared.dictionary };
    return added === rows
      ? column
      : { ...column, valid: bitsOf(codes, added, (code) => code !== MISSING_CODE) };
  }

  /** Makes a column of gaps alone. */
  gap(rows: number): Column {
    const { dictionary } = this.#shared;
    return { kind: "nominal", name: this.name, ...this.#common.gaps.texts(rows), dictionary };
  }
}

function grownLength(length: number, row: number, maxRows: number): number {
  return Math.min(maxRows, Math.max(FIRST_ROWS, 2 * length, row + 1));
}

/** Fills `longer` with the items of `array`, and `gap` behind them. */
function lengthened<A extends Float64Array | Uint32Array>(array: A, longer: A, gap: number): A {
  longer.set(array);
  longer.fill(gap, array.length);
  return longer;
}

/** @param count how many items are valid */
function bitsOf(
  array: Float64Array | Uint32Array,
  count: number,
  isValid: (item: number) => boolean,
): Bitset {
  const valid = new Bitset(array.length);
  for (let row = 0, rest = count; rest > 0; row++) {
    if (!isValid(array[row])) continue;
    valid.set(row);
    rest--;
  }
  return valid;
}
