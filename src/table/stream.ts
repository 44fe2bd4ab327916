/**
 * A table stream has a table that arrives in chunks, for files larger than memory: its columns are known
 * before the first row, and every chunk is a Table of some rows. Chunks share one dictionary per nominal
 * column, which grows as they come, so that a code means the same in all of them. Where the rows come from is
 * io/'s business.
 */
import { InvalidInputError } from "../core/errors.ts";
import { checkOptions, type OptionNames } from "../core/options.ts";
import { Bitset } from "./bitset.ts";
import type { Column } from "./column.ts";
import type { Guess } from "./guess.ts";
import { Table } from "./table.ts";

export type { Guess } from "./guess.ts";

/**
 * A stream knows these facts about a column before its first cell.
 * @example
 * const { schema } = await openTable(textSource("id,size\n7,1\n8,big\n", "leaves.csv"));
 * const size: ColumnSchema = schema[1];
 * size; // => { name: "size", kind: "nominal", firstText: { line: 3, text: "big" } }
 */
export interface ColumnSchema {
  readonly name: string;
  readonly kind: Column["kind"];
  /** The file declares this type, such as "INT64" or "TIMESTAMP(MICROS)"; text files declare none. */
  readonly stored?: string;
  /** Numbers count this unit, where the file holds dates or times. */
  readonly unit?: TimeUnit;
  /** The dates were given with a zone, so that they are those of UTC. */
  readonly zone?: "UTC";
  /** It is the first cell that is not a number, in a column of a text file that is nominal because of it. */
  readonly firstText?: { readonly line: number; readonly text: string };
}

/**
 * Times are milliseconds since 1970-01-01 00:00, as in JavaScript's Date, or since midnight.
 * @example
 * import { parquetWriteBuffer } from "hyparquet-writer";
 * const bytes = parquetWriteBuffer({ columnData: [{ name: "at", data: [new Date(0)], type: "TIMESTAMP" }] });
 * const { schema } = await openTable(bytesSource(new Uint8Array(bytes), "log.parquet"));
 * const unit: TimeUnit | undefined = schema[0].unit; // => "ms since 1970"
 */
export type TimeUnit = "ms since 1970" | "ms since midnight";

/**
 * `chunks` of a table takes these options.
 * @example
 * const options: TableChunkOptions = { maxRows: 2 };
 * const sizes = [];
 * const stream = tableStream(Table.fromColumns({ x: [1, 2, 3] }));
 * for await (const chunk of stream.chunks(options)) sizes.push(chunk.rows);
 * sizes; // => [2, 1]
 */
export interface TableChunkOptions {
  /** A chunk has at most this many rows. Default 65536. */
  readonly maxRows?: number;
  readonly signal?: AbortSignal;
  /** Called with the bytes of the file read so far, and in all if that is known. */
  readonly onProgress?: (bytes: number, byteLength: number | undefined) => void;
}

const chunkNames: OptionNames<TableChunkOptions> = { maxRows: 1, signal: 1, onProgress: 1 };

/**
 * It gives the columns of a table, and its rows in chunks.
 * @example
 * const stream: TableStream = await openTable(textSource("x,y\n1,2\n3,4\n", "points.csv"));
 * stream.schema.map(({ name }) => name); // => ["x", "y"]
 * let sum = 0;
 * for await (const chunk of stream.chunks()) for (const y of encode(chunk, ["y"]).data) sum += y;
 * sum; // => 6
 */
export interface TableStream {
  /** Errors call it by this name, that of the file. */
  readonly name: string;
  /** They are the columns, known before the first chunk and the same for all chunks. */
  readonly schema: readonly ColumnSchema[];
  readonly guesses: readonly Guess[];
  /** There are this many rows, if that is known before the end. */
  readonly rows: number | undefined;
  /** It is true if `chunks` can be called only once, since the bytes come from a pipe. */
  readonly once: boolean;
  /** Gives the rows in chunks, from the first row on, at least one row each. */
  chunks(options?: TableChunkOptions): AsyncIterable<Table>;
}

const CHUNK_ROWS = 1 << 16;

/** Cells of a chunk at most, unless one row has more: 32 MiB of numbers. */
const CHUNK_CELLS = 1 << 22;

/**
 * Returns the rows per chunk that a caller asks for, checked, or fewer where there are thousands of columns.
 */
export function chunkRows(options: TableChunkOptions, cols = 1): number {
  checkOptions(options, "chunks", chunkNames);
  const { maxRows = CHUNK_ROWS } = options;
  if (Number.isSafeInteger(maxRows) && maxRows >= 1)
    return Math.max(1, Math.min(maxRows, Math.floor(CHUNK_CELLS / cols)));
  throw new InvalidInputError(`maxRows is ${maxRows}; expected a whole number of at least 1`);
}

/**
 * Makes a stream of the rows of a table in memory; the chunks share its memory.
 * @example
 * import { Table, tableStream } from "nearfield";
 *
 * const stream = tableStream(Table.fromColumns({ x: [1, 2, 3] }));
 * const rows = [];
 * for await (const chunk of stream.chunks({ maxRows: 2 })) rows.push(chunk.rows);
 * rows; // => [2, 1]
 */
export function tableStream(table: Table, name = table.origin?.file ?? "the table"): TableStream {
  return {
    name,
    schema: table.columns.map((column): ColumnSchema => {
      const firstText = table.origin?.firstText(column.name);
      const { name, kind, type } = column;
      const unit = type === "date" ? "ms since 1970" : type === "time" ? "ms since midnight" : undefined;
      const zone = column.kind === "numeric" && column.zone !== undefined ? { zone: column.zone } : {};
      const times = unit === undefined ? {} : { unit, ...zone };
      return { name, kind, ...times, ...(firstText === undefined ? {} : { firstText }) };
    }),
    guesses: [],
    rows: table.rows,
    once: false,
    async *chunks(options = {}) {
      const { signal } = options;
      const maxRows = chunkRows(options);
      for (let begin = 0; begin < table.rows; begin += maxRows) {
        signal?.throwIfAborted();
        yield sliceRows(table, begin, Math.min(table.rows, begin + maxRows));
      }
    },
  };
}

/** Returns rows begin to end (exclusive), sharing memory with the table. */
function sliceRows(table: Table, begin: number, end: number): Table {
  if (begin === 0 && end === table.rows) return table;
  const columns = table.columns.map((column): Column => {
    const valid = column.valid && sliceBits(column.valid, begin, end);
    const gaps = valid === undefined ? {} : { valid };
    const { valid: _, ...rest } = column;
    return rest.kind === "numeric"
      ? { ...rest, values: rest.values.subarray(begin, end), ...gaps }
      : { ...rest, codes: rest.codes.subarray(begin, end), ...gaps };
  });
  const { origin } = table;
  if (origin === undefined) return new Table(columns);
  const { textOf, rowNames } = origin;
  return new Table(columns, {
    file: origin.file,
    header: origin.header,
    ...(rowNames === undefined ? {} : { rowNames }),
    firstText: (column) => origin.firstText(column),
    placeOf: (row) => origin.placeOf(begin + row),
    ...(textOf === undefined ? {} : { textOf: (row: number) => textOf(begin + row) }),
  });
}

function sliceBits(bits: Bitset, begin: number, end: number): Bitset | undefined {
  const slice = new Bitset(end - begin);
  for (let row = begin; row < end; row++) if (bits.get(row)) slice.set(row - begin);
  return slice.count() === slice.length ? undefined : slice;
}
