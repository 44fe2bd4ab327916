/**
 * CSV records to a table in memory: its columns, and which line each row came from. Types are each column's own business
 * (csvColumn.ts), the header and the width of rows csvRows.ts's.
 */
import { Table, type TableOrigin } from "../../table/table.ts";
import { ColumnBuilder } from "./column.ts";
import type { Cells } from "./lines.ts";
import type { CsvSettings } from "./options.ts";
import { looksLikeRow, RowGate } from "./rows.ts";
import { RunList } from "../lists.ts";

export class TableBuilder {
  readonly #file: string;
  readonly #settings: CsvSettings;
  readonly #lines = new RunList();
  readonly #gate: RowGate;
  #columns: ColumnBuilder[] = [];

  constructor(file: string, settings: CsvSettings) {
    this.#file = file;
    this.#settings = settings;
    this.#gate = new RowGate(file, settings);
  }

  add(cells: Cells, line: number): void {
    const { rows } = this.#gate;
    if (!this.#gate.isRow(cells, line)) return;
    if (rows === 0) this.#columns = this.#gate.rules.map((rule) => new ColumnBuilder(rule));
    this.#lines.push(rows, line - rows);
    for (let j = 0; j < cells.count; j++) this.#columns[j].add(cells, j, line);
  }

  finish(): Table {
    this.#gate.end();
    const finished = this.#columns.map((column) => column.finish());
    const texts = this.#settings.keepText ? finished.map(({ textOf }) => textOf) : undefined;
    const firstTexts = new Map(finished.map(({ column, firstText }) => [column.name, firstText]));
    const columns = finished.map(({ column }) => column);
    const origin = originOf(this.#file, this.#gate.header, this.#lines, firstTexts, texts);
    const doubt = looksLikeRow(columns, this.#settings) ? { namesInDoubt: true } : {};
    return new Table(columns, { ...origin, ...doubt });
  }

  set delimiter(delimiter: string) {
    this.#gate.delimiter = delimiter;
  }
}

/** Apart from the builder, whose memory its functions would otherwise keep. */
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
