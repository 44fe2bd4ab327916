/**
 * This module gathers lines of a JSON lines file into one chunk after the other; the keys and their kinds are
 * settled.
 */
import type { ColumnSchema } from "../../table/stream.ts";
import { Table } from "../../table/table.ts";
import { chunkColumn, Gaps, type ChunkColumn } from "../chunkColumn.ts";
import { JsonLineParser, leftOutBy, reasonAgainst, type JsonCell } from "./line.ts";
import type { ValueKind } from "./scan.ts";
import { RunList } from "../lists.ts";
import { quote } from "../quote.ts";
import { notATime, TimeReader, typeOfUnit } from "../time.ts";
import type { SharedDictionary } from "../sharedDictionary.ts";

export interface SettledKeys {
  readonly file: string;
  readonly schema: readonly ColumnSchema[];
  /** The columns of these names will be asked for; undefined for all. */
  readonly wanted: readonly string[] | undefined;
  /** The nominal columns, by name, have a dictionary each. */
  readonly dictionaries: ReadonlyMap<string, SharedDictionary>;
  /** Values of columns have kinds; a column that is not here takes all of them as texts. */
  readonly kinds: ReadonlyMap<string, ValueKind>;
  /** So many rows decided, when not all of them did. */
  readonly seen: number | undefined;
}

interface KeyColumn {
  readonly chunk: ChunkColumn;
  /** It reads a column of dates or times. */
  readonly times: TimeReader | undefined;
  /** It is the row behind the last one that had the key, since the last take(); 0 where none had it. */
  row: number;
}

export class JsonlChunk {
  readonly file: string;
  /** So many rows were gathered since the last take(). */
  rows = 0;
  readonly #settled: SettledKeys;
  readonly #maxRows: number;
  readonly #parser: JsonLineParser;
  readonly #columns: readonly KeyColumn[];
  readonly #byName: ReadonlyMap<string, KeyColumn>;
  readonly #header: readonly string[];
  /** These columns have a cell since the last take(): of a hundred thousand there may be a few. */
  #met: KeyColumn[] = [];
  /** Every cell of this table is missing. */
  #gaps: Table | undefined;
  #lines = new RunList();
  #expected = 0;

  constructor(settled: SettledKeys, maxRows: number) {
    const { file, schema, dictionaries, kinds } = settled;
    this.file = file;
    this.#settled = settled;
    this.#maxRows = maxRows;
    this.#parser = new JsonLineParser(file, {
      onCell: (key, cell) => this.#add(key, cell),
      isLeftOut: leftOutBy(settled.wanted),
    });
    const common = { maxRows, gaps: new Gaps() };
    this.#columns = schema.map(({ name, unit, zone }) => ({
      chunk: chunkColumn(name, dictionaries.get(name), common, typeOfUnit({ unit, zone })),
      times: kinds.get(name) === "time" ? new TimeReader() : undefined,
      row: 0,
    }));
    this.#header = schema.map(({ name }) => name);
    this.#byName = new Map(this.#columns.map((column) => [column.chunk.name, column]));
  }

  get full(): boolean {
    return this.rows === this.#maxRows;
  }

  add(text: string, line: number, column = 0): void {
    this.#expected = 0;
    this.#parser.parse(text, line, column);
    this.#lines.push(this.rows, line - this.rows);
    this.rows++;
  }

  take(): Table {
    const { rows, file } = this;
    const lines = this.#lines;
    const { schema } = this.#settled;
    const met = this.#met.map(({ chunk }) => chunk.take(rows));
    for (const column of this.#met) column.row = 0;
    this.#met = [];
    this.rows = 0;
    this.#lines = new RunList();
    if (this.#gaps?.rows !== rows) this.#gaps = new Table(this.#columns.map(({ chunk }) => chunk.gap(rows)));
    return this.#gaps.replaced(met, {
      file,
      header: this.#header,
      placeOf: (row) => ({ line: row + lines.get(row) }),
      firstText: (name) => schema.find((column) => column.name === name)?.firstText,
    });
  }

  #add(name: string, cell: JsonCell): void {
    const column = this.#columnOf(name);
    if (column.row > this.rows)
      throw this.#parser.error("the key appears twice in the line; rename one of them", name);
    if (column.row === 0) this.#met.push(column);
    column.row = this.rows + 1;
    const { chunk } = column;
    if (cell === null) return;
    if (chunk.kind === "nominal") {
      chunk.add(this.rows, this.#parser.raw);
      return;
    }
    const { times } = column;
    if (times !== undefined) chunk.add(this.rows, this.#timeOf(name, cell, times));
    else if (typeof cell === "number") chunk.add(this.rows, this.#fitting(name, cell));
    else throw this.#otherKind(name, cell);
  }

  #timeOf(name: string, cell: JsonCell, times: TimeReader): number {
    const value = typeof cell === "string" ? times.read(cell) : undefined;
    if (value !== undefined) return value;
    const because = `the first ${this.#settled.seen} rows made the column dates`;
    throw this.#parser.error(notATime(this.#parser.raw, { name, because }), name);
  }

  /** Returns the column of a key. Most lines have the keys in the order of the first. */
  #columnOf(name: string): KeyColumn {
    const next = this.#columns[this.#expected++] as KeyColumn | undefined;
    if (next?.chunk.name === name) return next;
    const column = this.#byName.get(name);
    if (column !== undefined) return column;
    throw this.#parser.error(
      `the key is in none of the first ${this.#settled.seen} rows, which decide the columns; put the input into a file, ` +
        `which is looked at as a whole`,
      name,
    );
  }

  #otherKind(name: string, cell: JsonCell): Error {
    const { seen } = this.#settled;
    return this.#parser.error(
      `${quote(this.#parser.raw)} is a ${typeof cell}, but by the first ${seen} rows the column holds numbers; make ` +
        `them alike, or read the column as text (option nominal: ${name})`,
      name,
    );
  }

  #fitting(name: string, value: number): number {
    const reason = reasonAgainst(this.#parser, value);
    if (reason === undefined) return value;
    throw this.#parser.error(`${reason}; read the column as text (option nominal: ${name})`, name);
  }
}
