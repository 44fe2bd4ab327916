/**
 * The cells of one column of a chunk while its rows arrive, in memory that is used again for the next chunk. What the cells
 * of a file mean is its format's business.
 */
import { Bitset } from "../table/bitset.ts";
import { MISSING_CODE, type Column } from "../table/column.ts";
import { uint32List, type NumberList } from "./lists.ts";
import type { SharedDictionary } from "./sharedDictionary.ts";

export type ChunkColumn = NumericChunk | NominalChunk;

/** @param shared the dictionary of a nominal column. */
export function chunkColumn(
  name: string,
  shared: SharedDictionary | undefined,
  maxRows: number,
): ChunkColumn {
  return shared === undefined ? new NumericChunk(name, maxRows) : new NominalChunk(name, shared, maxRows);
}

/** Of a text file, at most: each takes a kilobyte or two, and a few characters name one. */
export const MOST_TEXT_COLUMNS = 2 ** 17;

/** Rows allocated at first: there may be a hundred thousand columns. */
const FIRST_ROWS = 16;

class NumericChunk {
  readonly kind = "numeric";
  readonly name: string;
  readonly #maxRows: number;
  #values = new Float64Array(0);
  readonly #gaps = uint32List();

  constructor(name: string, maxRows: number) {
    this.name = name;
    this.#maxRows = maxRows;
  }

  /** Rows come in order, from 0 after each take(). */
  add(row: number, value: number): void {
    if (row >= this.#values.length) {
      const larger = new Float64Array(grownLength(this.#values.length, row, this.#maxRows));
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[row] = value;
  }

  addGap(row: number): void {
    this.add(row, NaN);
    this.#gaps.push(row);
  }

  take(rows: number): Column {
    return {
      kind: "numeric",
      name: this.name,
      values: this.#values.slice(0, rows),
      ...validity(rows, this.#gaps),
    };
  }
}

class NominalChunk {
  readonly kind = "nominal";
  readonly name: string;
  readonly #shared: SharedDictionary;
  readonly #maxRows: number;
  #codes = new Uint32Array(0);
  readonly #gaps = uint32List();

  constructor(name: string, shared: SharedDictionary, maxRows: number) {
    this.name = name;
    this.#shared = shared;
    this.#maxRows = maxRows;
  }

  add(row: number, text: string): void {
    this.#set(row, this.#shared.codeOf(text));
  }

  addGap(row: number): void {
    this.#set(row, MISSING_CODE);
    this.#gaps.push(row);
  }

  take(rows: number): Column {
    return {
      kind: "nominal",
      name: this.name,
      codes: this.#codes.slice(0, rows),
      dictionary: this.#shared.dictionary,
      ...validity(rows, this.#gaps),
    };
  }

  #set(row: number, code: number): void {
    if (row >= this.#codes.length) {
      const larger = new Uint32Array(grownLength(this.#codes.length, row, this.#maxRows));
      larger.set(this.#codes);
      this.#codes = larger;
    }
    this.#codes[row] = code;
  }
}

function grownLength(length: number, row: number, maxRows: number): number {
  return Math.min(maxRows, Math.max(FIRST_ROWS, 2 * length, row + 1));
}

/** Empties the list. */
function validity(rows: number, gaps: NumberList<Uint32Array>): { readonly valid?: Bitset } {
  if (gaps.length === 0) return {};
  const valid = Bitset.full(rows);
  for (let at = 0; at < gaps.length; at++) valid.clear(gaps.at(at));
  gaps.length = 0;
  return { valid };
}
