/**
 * Rows of a CSV file gathered into one chunk after the other. The kind of each column is settled: a cell that does not fit
 * is an error.
 */
import { Bitset } from "../table/bitset.ts";
import { MISSING_CODE, type Column } from "../table/column.ts";
import type { ColumnSchema } from "../table/stream.ts";
import { Table } from "../table/table.ts";
import { NumberCells, type ColumnRule } from "./csvCells.ts";
import type { CsvSettings } from "./csvOptions.ts";
import { RowGate } from "./csvRows.ts";
import { RunList } from "./lists.ts";
import type { SharedDictionary } from "./sharedDictionary.ts";

/** What the look at a file settled, the same for all chunks. */
export interface SettledColumns {
  readonly file: string;
  readonly delimiter: string;
  readonly schema: readonly ColumnSchema[];
  readonly rules: readonly ColumnRule[];
  /** Of the nominal columns, by name. */
  readonly dictionaries: ReadonlyMap<string, SharedDictionary>;
}

export class CsvChunk {
  readonly file: string;
  /** Gathered since the last take(). */
  rows = 0;
  readonly #settings: CsvSettings;
  readonly #schema: readonly ColumnSchema[];
  readonly #columns: readonly (NumericCells | NominalCells)[];
  readonly #gate: RowGate;
  readonly #maxRows: number;
  #lines = new RunList();
  #texts: string[][] = [];

  constructor(
    settings: CsvSettings,
    { file, delimiter, schema, rules, dictionaries }: SettledColumns,
    maxRows: number,
  ) {
    this.file = file;
    this.#maxRows = maxRows;
    this.#settings = settings;
    this.#schema = schema;
    this.#gate = new RowGate(file, settings);
    this.#gate.delimiter = delimiter;
    this.#columns = rules.map((rule) => {
      const shared = dictionaries.get(rule.name);
      return shared === undefined ? new NumericCells(rule, maxRows) : new NominalCells(rule, shared, maxRows);
    });
  }

  add(cells: string[], line: number): void {
    if (!this.#gate.isRow(cells, line)) return;
    const row = this.rows++;
    this.#lines.push(row, line - row);
    if (this.#settings.keepText) this.#texts.push(cells);
    for (let j = 0; j < cells.length; j++) this.#columns[j].add(row, cells[j], line);
  }

  get full(): boolean {
    return this.rows === this.#maxRows;
  }

  take(): Table {
    const { rows, file } = this;
    const lines = this.#lines;
    const texts = this.#texts;
    const firstTexts = new Map(this.#schema.map(({ name, firstText }) => [name, firstText]));
    const columns = this.#columns.map((column) => column.take(rows));
    this.rows = 0;
    this.#lines = new RunList();
    this.#texts = [];
    return new Table(columns, {
      file,
      header: this.#gate.header,
      placeOf: (row) => ({ line: row + lines.get(row) }),
      firstText: (name) => firstTexts.get(name),
      ...(this.#settings.keepText ? { textOf: (row: number) => texts[row] } : {}),
    });
  }
}

/** Rows allocated at first; a small file needs no more. */
const FIRST_ROWS = 1024;

class NumericCells {
  readonly #rule: ColumnRule;
  readonly #cells: NumberCells;
  #values = new Float64Array(0);
  #gaps: number[] = [];
  readonly #maxRows: number;

  constructor(rule: ColumnRule, maxRows: number) {
    this.#rule = rule;
    this.#cells = new NumberCells(rule);
    this.#maxRows = maxRows;
  }

  add(row: number, cell: string, line: number): void {
    if (row === this.#values.length) this.#values = grown(this.#values, this.#maxRows);
    if (this.#rule.isMissing(cell)) {
      this.#gaps.push(row);
      this.#values[row] = NaN;
      return;
    }
    this.#values[row] = this.#cells.valueOf(cell, line) ?? NaN;
  }

  take(rows: number): Column {
    const { name } = this.#rule;
    const column: Column = {
      kind: "numeric",
      name,
      values: this.#values.slice(0, rows),
      ...validity(rows, this.#gaps),
    };
    this.#gaps = [];
    return column;
  }
}

class NominalCells {
  readonly #rule: ColumnRule;
  readonly #shared: SharedDictionary;
  readonly #maxRows: number;
  #codes = new Uint32Array(0);
  #gaps: number[] = [];

  constructor(rule: ColumnRule, shared: SharedDictionary, maxRows: number) {
    this.#rule = rule;
    this.#shared = shared;
    this.#maxRows = maxRows;
  }

  add(row: number, cell: string): void {
    if (row === this.#codes.length) this.#codes = grown(this.#codes, this.#maxRows);
    if (this.#rule.isMissing(cell)) {
      this.#gaps.push(row);
      this.#codes[row] = MISSING_CODE;
      return;
    }
    this.#codes[row] = this.#shared.codeOf(cell);
  }

  take(rows: number): Column {
    const codes = this.#codes.slice(0, rows);
    const gaps = validity(rows, this.#gaps);
    this.#gaps = [];
    return { kind: "nominal", name: this.#rule.name, codes, dictionary: this.#shared.dictionary, ...gaps };
  }
}

function grown<T extends Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(items: T, most: number): T;
function grown(items: Float64Array | Uint32Array, most: number): Float64Array | Uint32Array {
  const length = Math.min(most, Math.max(FIRST_ROWS, 2 * items.length));
  const larger = items instanceof Float64Array ? new Float64Array(length) : new Uint32Array(length);
  larger.set(items);
  return larger;
}

function validity(rows: number, gaps: readonly number[]): { readonly valid?: Bitset } {
  if (gaps.length === 0) return {};
  const valid = Bitset.full(rows);
  for (const row of gaps) valid.clear(row);
  return { valid };
}
