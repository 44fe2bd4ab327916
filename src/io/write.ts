/**
 * This module writes tables and matrices to files of any format, as pieces to be written one after the other.
 * Data that a format cannot hold are an error, never a changed value.
 */
import { untilAborted } from "../core/async/aborted.ts";
import { checkOptions, type OptionNames } from "../core/options.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { Matrix } from "../core/matrix.ts";
import { asStream, streamOf, type MatrixStream } from "../core/matrixStream.ts";
import { isMissing } from "../table/column.ts";
import type { TableStream } from "../table/stream.ts";
import { tableStream } from "../table/stream.ts";
import { Table } from "../table/table.ts";
import { cellsOf, csvPieces, csvWriteNames, type CsvWriteOptions } from "./csv/write.ts";
import { formatOf, type FormatName } from "./formats.ts";
import { writeJson, writeJsonl } from "./jsonl/write.ts";
import { matrixTable } from "./matrixTable.ts";
import { writeNpy } from "./npy/write.ts";
import { writeParquet } from "./parquet/write.ts";
import { writeCounted, type BinFormat } from "./countedWrite.ts";
import { writeBvecs, writeFvecs, writeIvecs } from "./vecsWrite.ts";

/**
 * The options of `writeTable` and `writeMatrix` say how CSV is written, and have a signal that stops the
 * writing.
 * @example
 * const options: WriteOptions = { delimiter: "\t", header: false };
 * const pieces = [];
 * const table = Table.fromColumns({ x: [1, 2], y: [3, null] });
 * for await (const piece of writeTable("csv", table, options)) pieces.push(piece);
 * await new Blob(pieces).text(); // => "1\t3\n2\t\n"
 */
export interface WriteOptions extends CsvWriteOptions {
  readonly signal?: AbortSignal;
}

const writeNames: OptionNames<WriteOptions> = { ...csvWriteNames, signal: 1 };

/**
 * They are the pieces of a file, to be written one after the other; texts as UTF-8.
 * @example
 * const pieces: Pieces = writeTable("csv", Table.fromColumns({ x: [1, 2] }));
 * const written = [];
 * for await (const piece of pieces) written.push(piece);
 * await new Blob(written).text(); // => "x\n1\n2\n"
 */
export type Pieces = AsyncGenerator<string | Uint8Array<ArrayBuffer>, void, undefined>;

/**
 * Writes a table as CSV, JSON lines, JSON or Parquet; a table of numbers without missing cells also as a
 * matrix file.
 * @throws InvalidInputError, while writing, for what the format cannot hold.
 * @example
 * import { Table, writeTable } from "nearfield";
 *
 * const table = Table.fromColumns({ name: ["a", "b"], size: [1.5, null] });
 * // Texts and bytes, for a Blob or any writer.
 * const pieces = [];
 * for await (const piece of writeTable("jsonl", table)) pieces.push(piece);
 * await new Blob(pieces).text(); // => '{"name":"a","size":1.5}\n{"name":"b","size":null}\n'
 */
export async function* writeTable(
  format: FormatName,
  table: Table | TableStream,
  options: WriteOptions = {},
): Pieces {
  checkOptions(options, "writeTable", writeNames);
  formatOf(format);
  const stream = table instanceof Table ? tableStream(table) : table;
  const { signal } = options;
  const chunksOf = () => untilAborted(stream.chunks(signal === undefined ? {} : { signal }), signal);
  if (format === "csv") {
    const header = stream.schema.map(({ name }) => name);
    yield* csvPieces(header, chunksOf(), cellsOf, options);
  } else if (format === "jsonl") {
    yield* writeJsonl(chunksOf());
  } else if (format === "json") {
    yield* writeJson(chunksOf());
  } else if (format === "parquet") {
    yield* writeParquet(chunksOf());
  } else {
    yield* writeMatrix(format, numbersOf(stream), options);
  }
}

/**
 * Writes a matrix as .npy, .fvecs, .ivecs, .bvecs, .fbin, .ibin, .u8bin, .i8bin or IDX, or as a table with
 * the columns "0", "1" and so on, or x, y and z of a stream of points.
 * @throws InvalidInputError, while writing, naming row and column of a value that the format cannot hold.
 * @example
 * import { writeMatrix } from "nearfield";
 *
 * const pieces = [];
 * for await (const piece of writeMatrix("csv", { data: Float64Array.of(1, 2, 3, 4), rows: 2, cols: 2 }))
 *   pieces.push(piece);
 * await new Blob(pieces).text(); // => "0,1\n1,2\n3,4\n"
 */
export async function* writeMatrix(
  format: FormatName,
  matrix: Matrix | MatrixStream,
  options: WriteOptions = {},
): Pieces {
  checkOptions(options, "writeMatrix", writeNames);
  formatOf(format);
  const { signal } = options;
  const stream = asStream(matrix, "the matrix");
  const signals = signal === undefined ? {} : { signal };
  if (format === "npy") yield* writeNpy(stream, signals);
  else if (format === "fvecs") yield* writeFvecs(stream, signals);
  else if (format === "ivecs") yield* writeIvecs(stream, signals);
  else if (format === "bvecs") yield* writeBvecs(stream, signals);
  else if (format.endsWith("bin") || format === "idx")
    yield* writeCounted(format as BinFormat | "idx", stream, signals);
  else if (format === "arrow" || format === "ply" || format === "xyz")
    throw new InvalidInputError(`${format} files are read, not written; choose parquet, npy, fvecs or csv`);
  else yield* writeTable(format, matrixTable(stream), options);
}

/** Gives rows of a table that holds nothing but numbers. */
function numbersOf(table: TableStream): MatrixStream {
  const { name, schema, rows } = table;
  const text = schema.find(({ kind }) => kind === "nominal");
  if (text !== undefined) {
    throw new InvalidInputError(
      "holds texts, but the format to write holds only numbers; choose csv, jsonl or parquet",
      {
        file: name,
        column: text.name,
      },
    );
  }
  return streamOf({
    name,
    cols: schema.length,
    ...(rows === undefined ? {} : { rows }),
    chunks: (signal) => denseChunks(table, signal),
  });
}

async function* denseChunks(table: TableStream, signal: AbortSignal | undefined): AsyncGenerator<Matrix> {
  const chunks = table.chunks(signal === undefined ? {} : { signal });
  for await (const chunk of untilAborted(chunks, signal)) yield denseRows(chunk, table.name);
}

function denseRows({ columns, rows, origin }: Table, file: string): Matrix {
  const cols = columns.length;
  const data = new Float64Array(rows * cols);
  columns.forEach((column, j) => {
    if (column.kind !== "numeric") return;
    for (let row = 0; row < rows; row++) {
      if (isMissing(column, row)) {
        const place = { file, column: column.name, ...(origin?.placeOf(row) ?? { row }) };
        throw new InvalidInputError("the cell is missing, but the format to write holds only numbers", place);
      }
      data[row * cols + j] = column.values[row];
    }
  });
  return { data, rows, cols };
}
