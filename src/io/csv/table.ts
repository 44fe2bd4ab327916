/**
 * This module turns CSV records into a table in memory, which knows the line of each row. Types are each
 * column's own business (column.ts), the header and the width of rows rows.ts's.
 */
import { InvalidInputError } from "../../core/errors.ts";
import type { Guess } from "../../table/stream.ts";
import { Table, type TableOrigin } from "../../table/table.ts";
import { ColumnBuilder, type FinishedColumn } from "./column.ts";
import { rowNamesHint, wordsHint } from "./hints.ts";
import type { RecordCells } from "./lines.ts";
import type { CsvSettings } from "./options.ts";
import type { CsvFormat } from "./records.ts";
import { looksLikeRow, RowGate, rowNamesOf } from "./rows.ts";
import { RunList } from "../lists.ts";
import { DictionaryBudget } from "../sharedDictionary.ts";

/** So many cells lie between two looks at the memory taken. */
const LOOK_CELLS = 2 ** 16;

export class TableBuilder {
  readonly #file: string;
  readonly #settings: CsvSettings;
  readonly #most: number;
  readonly #texts: DictionaryBudget;
  readonly #lines = new RunList();
  readonly #gate: RowGate;
  #columns: ColumnBuilder[] = [];
  #delimiter: string | undefined;
  #unseenCells = 0;

  /** @param most bytes that the cells may take, and the distinct texts besides */
  constructor(file: string, settings: CsvSettings, most: number) {
    this.#file = file;
    this.#settings = settings;
    this.#most = most;
    this.#texts = new DictionaryBudget(file, most);
    this.#gate = new RowGate(file, settings);
  }

  add(cells: RecordCells, line: number): void {
    const { rows } = this.#gate;
    if (!this.#gate.isRow(cells, line)) return;
    if (rows === 0) this.#columns = this.#gate.rules.map((rule) => new ColumnBuilder(rule, this.#texts));
    this.#lines.push(rows, line - rows);
    for (let j = 0; j < cells.count; j++) this.#columns[j].add(cells, j, line);
    this.#unseenCells += cells.count;
    if (this.#unseenCells >= LOOK_CELLS) this.#checkMemory(line);
  }

  finish(): Table {
    this.#gate.end();
    const finished = this.#columns.map((column) => column.finish()).filter(isColumn);
    const texts = this.#settings.keepText ? finished.map(({ textOf }) => textOf) : undefined;
    const firstTexts = new Map(finished.map(({ column, firstText }) => [column.name, firstText]));
    const columns = finished.map(({ column }) => column);
    const header = columns.map(({ name }) => name);
    const origin = originOf(this.#file, header, this.#lines, firstTexts, texts);
    const doubt = looksLikeRow(columns, this.#settings) ? { namesInDoubt: true } : {};
    const rowNames = rowNamesOf(this.#gate.rules, header);
    const hints = [
      ...(rowNames.rowNames === undefined ? [] : [rowNamesHint(rowNames.rowNames)]),
      ...this.#wordsHints(finished),
    ];
    return new Table(columns, {
      ...origin,
      ...(this.#delimiter === undefined ? {} : { delimiter: this.#delimiter }),
      ...doubt,
      ...rowNames,
      ...(hints.length === 0 ? {} : { hints }),
    });
  }

  set format({ delimiter, blanks = false }: CsvFormat) {
    this.#gate.delimiter = delimiter;
    this.#delimiter = blanks ? undefined : delimiter;
  }

  #wordsHints(finished: readonly FinishedColumn[]): Guess[] {
    return finished.flatMap(({ column, firstText }) => {
      if (column.kind !== "nominal" || firstText === undefined) return [];
      const { name, dictionary } = column;
      return wordsHint({ name, values: dictionary.values, firstText }, this.#settings) ?? [];
    });
  }

  #checkMemory(line: number): void {
    this.#unseenCells = 0;
    const bytes = this.#columns.reduce((sum, column) => sum + column.bytes, 0);
    if (bytes <= this.#most) return;
    throw new InvalidInputError(
      `the table takes ${bytes} bytes in memory up to here; at most ${this.#most} may; put the input into an uncompressed file, ` +
        `read it in chunks (openTable), or allow more memory (option memory)`,
      { file: this.#file, line },
    );
  }
}

/**
 * Says whether a finished column is one: without a name or a cell it is a delimiter too many at the end of
 * each line.
 */
function isColumn({ column, unnamed }: FinishedColumn): boolean {
  return !unnamed || column.valid?.count() !== 0;
}

/** Makes the origin, apart from the builder, whose memory its functions would otherwise keep. */
function originOf(
  file: string,
  header: readonly string[],
  lines: RunList,
  firstTexts: ReadonlyMap<string, { readonly line: number; readonly text: string } | undefined>,
  texts: readonly ((row: number) => string)[] | undefined,
): TableOrigin {
  return {
    file,
    header,
    placeOf: (row) => ({ line: row + lines.get(row) }),
    firstText: (name) => firstTexts.get(name),
    ...(texts === undefined ? {} : { textOf: (row: number) => texts.map((textOf) => textOf(row)) }),
  };
}
