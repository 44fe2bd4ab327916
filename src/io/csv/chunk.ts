/**
 * This module gathers rows of a CSV file into one chunk after the other. The kind of each column is settled:
 * a cell that does not fit is an error.
 */
import { InvalidInputError } from "../../core/errors.ts";
import type { Column } from "../../table/column.ts";
import type { ColumnSchema } from "../../table/stream.ts";
import { Table, type TableOrigin } from "../../table/table.ts";
import { chunkColumn, Gaps, type ChunkColumn } from "../chunkColumn.ts";
import { NumberCells, type ColumnRule } from "./cells.ts";
import type { RecordCells } from "./lines.ts";
import type { CsvSettings } from "./options.ts";
import { RowGate, rowNamesOf } from "./rows.ts";
import { RunList } from "../lists.ts";
import { quote } from "../quote.ts";
import { typeOfUnit } from "../time.ts";
import type { SharedDictionary } from "../sharedDictionary.ts";

/** The look at a file settled these facts, the same for all chunks. */
export interface SettledColumns {
  readonly file: string;
  readonly delimiter: string;
  readonly schema: readonly ColumnSchema[];
  /** All columns of the file have rules. */
  readonly rules: readonly ColumnRule[];
  /**
   * These indices are of those rules whose columns are columns of the table; the others had no cell in the
   * look.
   */
  readonly kept: readonly number[];
  /** The nominal columns, by name, have a dictionary each. */
  readonly dictionaries: ReadonlyMap<string, SharedDictionary>;
}

export class CsvChunk {
  readonly file: string;
  /** So many rows were gathered since the last take(). */
  rows = 0;
  readonly #settings: CsvSettings;
  readonly #schema: readonly ColumnSchema[];
  readonly #columns: readonly (CellColumn | EmptyColumn)[];
  readonly #kept: readonly number[];
  readonly #rowNames: Pick<TableOrigin, "rowNames">;
  readonly #gate: RowGate;
  readonly #maxRows: number;
  #lines = new RunList();
  #texts: string[][] = [];

  constructor(
    settings: CsvSettings,
    { file, delimiter, schema, rules, kept, dictionaries }: SettledColumns,
    maxRows: number,
  ) {
    this.file = file;
    this.#maxRows = maxRows;
    this.#settings = settings;
    this.#schema = schema;
    this.#gate = new RowGate(file, settings);
    this.#gate.delimiter = delimiter;
    this.#kept = kept;
    const names = schema.map(({ name }) => name);
    this.#rowNames = rowNamesOf(rules, names);
    const isKept = new Set(kept);
    const schemaOf = new Map(schema.map((column) => [column.name, column]));
    const common = { maxRows, gaps: new Gaps() };
    this.#columns = rules.map((rule, at) => {
      if (!isKept.has(at)) return new EmptyColumn(rule);
      const shared = dictionaries.get(rule.name);
      const { unit, zone } = schemaOf.get(rule.name) ?? {};
      return new CellColumn(rule, chunkColumn(rule.name, shared, common, typeOfUnit({ unit, zone })));
    });
  }

  add(cells: RecordCells, line: number): void {
    if (!this.#gate.isRow(cells, line)) return;
    const row = this.rows++;
    this.#lines.push(row, line - row);
    if (this.#settings.keepText) this.#texts.push(this.#kept.map((at) => cells.text(at)));
    for (let j = 0; j < cells.count; j++) this.#columns[j].add(row, cells, j, line);
  }

  get full(): boolean {
    return this.rows === this.#maxRows;
  }

  take(): Table {
    const { rows, file } = this;
    const lines = this.#lines;
    const texts = this.#texts;
    const firstTexts = new Map(this.#schema.map(({ name, firstText }) => [name, firstText]));
    const columns = this.#columns.flatMap((column) => column.take(rows));
    this.rows = 0;
    this.#lines = new RunList();
    this.#texts = [];
    return new Table(columns, {
      file,
      header: columns.map(({ name }) => name),
      ...this.#rowNames,
      placeOf: (row) => ({ line: row + lines.get(row) }),
      firstText: (name) => firstTexts.get(name),
      ...(this.#settings.keepText ? { textOf: (row: number) => texts[row] } : {}),
    });
  }
}

class CellColumn {
  readonly #rule: ColumnRule;
  readonly #cells: NumberCells;
  readonly #chunk: ChunkColumn;

  constructor(rule: ColumnRule, chunk: ChunkColumn) {
    this.#rule = rule;
    this.#cells = new NumberCells(rule);
    this.#chunk = chunk;
  }

  add(row: number, cells: RecordCells, at: number, line: number): void {
    const chunk = this.#chunk;
    if (this.#rule.isMissing(cells, at)) return;
    if (chunk.kind === "nominal") {
      chunk.add(row, cells.text(at));
      return;
    }
    const value = this.#cells.valueOf(cells, at, line) ?? NaN;
    if (!Number.isNaN(value)) chunk.add(row, value);
  }

  take(rows: number): Column[] {
    return [this.#chunk.take(rows)];
  }
}

/**
 * Such a column of the file is none of the table: neither the header nor any row seen has something there.
 */
class EmptyColumn {
  readonly #rule: ColumnRule;

  constructor(rule: ColumnRule) {
    this.#rule = rule;
  }

  add(_: number, cells: RecordCells, at: number, line: number): void {
    const { file, isMissing } = this.#rule;
    if (isMissing(cells, at)) return;
    throw new InvalidInputError(
      `has ${quote(cells.text(at))} in a column without a name that was empty in the rows looked at; name it in the header, or ` +
        `put the input into a file, which is looked at as a whole`,
      { file, line, column: at + 1 },
    );
  }

  take(): Column[] {
    return [];
  }
}
