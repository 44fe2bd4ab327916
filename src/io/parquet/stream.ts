/**
 * This is a Parquet file as a stream of chunks, read page by page. Numbers become numeric columns, texts and
 * booleans nominal ones; dates and times are milliseconds, which the schema says. Nested columns are refused
 * by name.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { Bitset } from "../../table/bitset.ts";
import { MISSING_CODE, type Column } from "../../table/column.ts";
import { unknownColumn } from "../../table/names.ts";
import {
  chunkRows,
  type TableChunkOptions,
  type ColumnSchema,
  type TableStream,
} from "../../table/stream.ts";
import { Table } from "../../table/table.ts";
import { allowedBytes, DEFAULT_BYTES } from "../bytes/budget.ts";
import { heard, randomAccess, type RandomAccess } from "../bytes/randomAccess.ts";
import { chosenNames } from "../selectColumns.ts";
import type { TypedTableOptions } from "../typedTable.ts";
import { DictionaryBudget, type SharedDictionary } from "../sharedDictionary.ts";
import type { ByteSource } from "../bytes/source.ts";
import { PageBudget } from "./budget.ts";
import { readParquetFile, type FileColumn, type ParquetFile } from "./file.ts";
import type { ChunkColumnInfo, Page, PageReader } from "./pages.ts";
import { typeOfUnit } from "../time.ts";
import { columnType, storedName } from "./types.ts";

interface ParquetReadColumn {
  readonly info: ChunkColumnInfo;
  readonly leaf: number;
  readonly schema: ColumnSchema;
  readonly shared: SharedDictionary | undefined;
}

/**
 * Reads the metadata. A source that is a pipe or compressed as a whole is held in memory.
 * @throws InvalidInputError for a damaged file, naming column and byte, and for columns that no table can
 *   hold; then or while the chunks are read.
 */
export async function openParquet(source: ByteSource, options: TypedTableOptions = {}): Promise<TableStream> {
  const { memory = DEFAULT_BYTES } = options;
  const access = await randomAccess(source, options);
  const file = await readParquetFile(heard(access, options.signal), memory);
  const columns = chosenColumns(file, options, access.name);
  // It is imported with hyparquet behind it, which pages that read no Parquet do without.
  const { PageReader } = await import("./pages.ts");
  const tools = { PageReader, budget: () => new PageBudget(allowedBytes(access, memory)) };
  return {
    name: access.name,
    schema: columns.map(({ schema }) => schema),
    guesses: [],
    rows: file.rows,
    once: false,
    chunks: (chunkOptions = {}) => {
      const maxRows = chunkRows(chunkOptions, columns.length);
      return chunksOf(access, file, columns, tools, maxRows, chunkOptions);
    },
  };
}

function chosenColumns(file: ParquetFile, options: TypedTableOptions, name: string): ParquetReadColumn[] {
  const { nominal = [], memory = DEFAULT_BYTES, ignoreUnknown = false } = options;
  const numeric = [...(options.numeric ?? []), ...(options.dates ?? [])];
  const byName = new Map(file.columns.map((column) => [column.element.name, column]));
  const names = [...byName.keys()];
  const [texts, numbers] = [new Set(nominal), new Set(numeric)];
  const unknown = [...nominal, ...numeric].find((column) => !byName.has(column));
  if (unknown !== undefined && !ignoreUnknown) throw unknownColumn(unknown, names, name);
  const budget = new DictionaryBudget(name, options.memory);
  return chosenNames(names, options.columns, ignoreUnknown, name).map((wanted) => {
    const column = byName.get(wanted);
    if (column === undefined) throw unknownColumn(wanted, names, name);
    return readColumn(column, texts.has(wanted), numbers.has(wanted), {
      file: name,
      memory,
      budget,
    });
  });
}

function readColumn(
  { element, leaf }: FileColumn,
  asText: boolean,
  asNumbers: boolean,
  context: { readonly file: string; readonly memory: number; readonly budget: DictionaryBudget },
): ParquetReadColumn {
  const { name } = element;
  const { file, memory, budget } = context;
  const type = columnType(element, asText);
  if ("reason" in type || leaf === undefined || element.type === undefined) {
    const reason = "reason" in type ? type.reason : "holds nested values";
    throw new InvalidInputError(`${reason}; name the columns to read (option columns)`, {
      file,
      column: name,
    });
  }
  const { kind, stored, unit } = type;
  const zone = element.logical_type?.type === "TIMESTAMP" && element.logical_type.isAdjustedToUTC;
  if (asNumbers && kind !== "numeric")
    throw new InvalidInputError(`holds ${storedName(element)} values, not numbers`, { file, column: name });
  return {
    leaf,
    schema: {
      name,
      kind,
      stored,
      ...(unit === undefined ? {} : { unit, ...(zone ? { zone: "UTC" as const } : {}) }),
    },
    shared: kind === "nominal" ? budget.dictionary(name) : undefined,
    info: {
      file,
      name,
      type,
      memory,
      layout: { type: element.type, width: element.type_length ?? 0 },
      optional: element.repetition_type !== "REQUIRED",
    },
  };
}

async function* chunksOf(
  access: RandomAccess,
  { groups }: ParquetFile,
  columns: readonly ParquetReadColumn[],
  tools: GroupTools,
  maxRows: number,
  { signal, onProgress }: TableChunkOptions,
): AsyncGenerator<Table> {
  const header = columns.map(({ schema }) => schema.name);
  const source = heard(access, signal);
  let begin = 0;
  for (const { rows, chunks } of groups) {
    const budget = tools.budget();
    const cells = columns.map((column) => {
      const pages = new tools.PageReader(source, column.info, chunks[column.leaf], budget);
      return new GroupCells(column, pages, begin);
    });
    const end = columns.reduce((most, { leaf }) => Math.max(most, chunks[leaf].end), 0);
    for (let done = 0; done < rows;) {
      signal?.throwIfAborted();
      const count = Math.min(maxRows, rows - done);
      const taken: Column[] = [];
      for (const column of cells) taken.push(await column.take(count));
      const first = begin + done;
      done += count;
      onProgress?.(end, access.byteLength);
      yield new Table(taken, {
        file: access.name,
        header,
        placeOf: (row) => ({ row: first + row }),
        firstText: () => undefined,
      });
    }
    for (const column of cells) await column.end();
    begin += rows;
  }
}

/** Reading any row group needs these tools. */
interface GroupTools {
  readonly PageReader: typeof PageReader;
  budget(): PageBudget;
}

/** take() fills these arrays: values of a numeric column or codes of a nominal one. */
interface Taken {
  readonly values: Float64Array;
  readonly codes: Uint32Array;
  readonly gaps: number[];
}

/** It takes one column of one row group in runs of rows that need not be pages. */
class GroupCells {
  readonly #column: ParquetReadColumn;
  readonly #pages: PageReader;
  /** The next cell is in this row of the file. */
  #row: number;
  #page: Page | undefined;
  #cell = 0;
  #value = 0;
  /**
   * They are the codes of the page's values, of nominal columns; of dictionary pages as far as they are used.
   */
  #codes = new Int32Array(0);

  constructor(column: ParquetReadColumn, pages: PageReader, row: number) {
    this.#column = column;
    this.#pages = pages;
    this.#row = row;
  }

  async take(rows: number): Promise<Column> {
    const { schema, shared } = this.#column;
    const { name } = schema;
    const values = new Float64Array(shared === undefined ? rows : 0);
    const codes = new Uint32Array(shared === undefined ? 0 : rows);
    const gaps: number[] = [];
    for (let done = 0; done < rows;) {
      const page = await this.#current();
      const end = Math.min(rows, done + page.cells - this.#cell);
      this.#copy(page, { values, codes, gaps }, done, end);
      done = end;
    }
    const valid = gaps.length === 0 ? {} : { valid: validity(rows, gaps) };
    return shared === undefined
      ? { kind: "numeric", name, ...typeOfUnit(schema), values, ...valid }
      : { kind: "nominal", name, codes, dictionary: shared.dictionary, ...valid };
  }

  /** Ends the column. @throws InvalidInputError when cells are left. */
  async end(): Promise<void> {
    const left =
      this.#page !== undefined && this.#cell < this.#page.cells ? this.#page : await this.#pages.next();
    if (left === undefined || left.cells === 0) return;
    throw this.#error(
      `byte ${left.byte}: the page that begins here has more cells than the row group has rows`,
    );
  }

  /** Returns the page that holds the next cell. */
  async #current(): Promise<Page> {
    while (this.#page === undefined || this.#cell === this.#page.cells) {
      const page = await this.#pages.next();
      if (page === undefined)
        throw this.#error("its pages end before the rows do; the file is damaged", this.#row);
      if (
        this.#column.shared !== undefined &&
        (page.indices === undefined || page.values !== this.#page?.values)
      )
        this.#codes = new Int32Array(page.values.values.length).fill(-1);
      this.#page = page;
      this.#cell = 0;
      this.#value = 0;
    }
    return this.#page;
  }

  #copy(page: Page, { values, codes, gaps }: Taken, begin: number, end: number): void {
    const { present, indices, values: stored } = page;
    const { shared } = this.#column;
    const firstRow = this.#row - begin;
    this.#row += end - begin;
    for (let at = begin; at < end; at++, this.#cell++) {
      if (present !== undefined && present[this.#cell] === 0) {
        if (shared === undefined) values[at] = NaN;
        else codes[at] = MISSING_CODE;
        gaps.push(at);
        continue;
      }
      const index = indices === undefined ? this.#value : indices[this.#value];
      this.#value++;
      if (stored.bad.size > 0) this.#checkValue(stored.bad.get(index), firstRow + at);
      const value = stored.values[index];
      if (typeof value === "number") {
        values[at] = value;
        if (Number.isNaN(value)) gaps.push(at);
      } else if (shared !== undefined) {
        codes[at] = this.#codeOf(shared, index, value);
      }
    }
  }

  #codeOf(shared: SharedDictionary, index: number, text: string): number {
    const known = this.#codes[index];
    return known >= 0 ? known : (this.#codes[index] = shared.codeOf(text));
  }

  #checkValue(reason: string | undefined, row: number): void {
    if (reason !== undefined) throw this.#error(reason, row);
  }

  #error(message: string, row?: number): InvalidInputError {
    const { file, name: column } = this.#column.info;
    return new InvalidInputError(message, { file, column, ...(row === undefined ? {} : { row }) });
  }
}

function validity(rows: number, gaps: readonly number[]): Bitset {
  const valid = Bitset.full(rows);
  for (const row of gaps) valid.clear(row);
  return valid;
}
