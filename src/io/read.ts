/**
 * This module reads files of any format as tables or matrices, whole or in chunks. A matrix becomes a table
 * with the columns "0", "1" and so on, or x, y and z of points; a table becomes a matrix only by choosing
 * features (table/encode.ts).
 */
import { InvalidInputError } from "../core/errors.ts";
import { checkOptions, type OptionNames } from "../core/options.ts";
import type { MatrixStream } from "../core/matrixStream.ts";
import { collectTable } from "../table/collect.ts";
import { unknownColumn } from "../table/names.ts";
import type { TableStream } from "../table/stream.ts";
import type { Table } from "../table/table.ts";
import { openBin } from "./bins.ts";
import { openArrow } from "./arrow/stream.ts";
import { csvTable } from "./csv/read.ts";
import { csvNames, type CsvOptions } from "./csv/options.ts";
import { openCsv } from "./csv/stream.ts";
import { recognise, type FormatName, type Recognised } from "./formats.ts";
import { openIdx } from "./idx.ts";
import { openJson, openJsonl } from "./jsonl/stream.ts";
import { matrixTable } from "./matrixTable.ts";
import { openNpy } from "./npy/read.ts";
import { openParquet } from "./parquet/stream.ts";
import { chosenNames, selectColumns } from "./selectColumns.ts";
import { someRows } from "./rowStream.ts";
import { allowedBytes } from "./bytes/budget.ts";
import { sourceOf, type FileInput } from "./bytes/input.ts";
import { openBvecs, openFvecs, openIvecs } from "./vecs.ts";
import { withinMemory } from "./wholeTable.ts";

/**
 * Reading takes these options: CsvOptions, whose header, delimiter, decimal and na concern CSV alone, and
 * those of every format.
 * @example
 * const options: ReadOptions = { columns: ["species", "width", "label"], ignoreUnknown: true };
 * const table = await readTable(textSource("id,width,species\n1,0.5,poppy\n", "leaves.csv"), options);
 * table.names; // => ["species", "width"]
 */
export interface ReadOptions extends CsvOptions {
  /** The file has this format; default by the name's extension, else by the first bytes. */
  readonly format?: FormatName;
  /** These columns are read, in this order; `ignoreUnknown` holds for them too. The default is all. */
  readonly columns?: readonly string[];
}

const readNames: OptionNames<ReadOptions> = { format: 1, columns: 1, ...csvNames };

/**
 * Reads all of a file as one table. `await readTable("iris.csv")` reads a path in Node and Deno, and a URL in
 * a page; a File, a Response and bytes are taken, too.
 * @throws InvalidInputError with file and line, row or byte of what is wrong.
 * @example
 * import { readTable, textSource } from "nearfield";
 *
 * // Its name or its first bytes tell the format.
 * const source = textSource('{"width": 1.5, "species": "setosa"}\n{"width": 3.1}\n', "iris.jsonl");
 * const table = await readTable(source, { columns: ["species", "width"] });
 * table.names; // => ["species", "width"]
 * table.column("width").kind; // => "numeric"
 */
export async function readTable(
  file: FileInput | Promise<FileInput>,
  options: ReadOptions = {},
): Promise<Table> {
  checkOptions(options, "readTable", readNames);
  const source = await sourceOf(file, "readTable");
  return readFound(await recognise(source, options.format, options.signal), options);
}

/** Does readTable for a file whose format is known already. */
export async function readFound(found: Recognised, options: ReadOptions = {}): Promise<Table> {
  if (found.format.name !== "csv") {
    const stream = await openFound(found, options);
    const { signal, onProgress } = options;
    const chunks = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
    return collectTable(withinMemory(stream, allowedBytes(found.source, options.memory)), chunks);
  }
  const table = await csvTable(found.source, options);
  const { columns, ignoreUnknown = false } = options;
  return columns === undefined
    ? table
    : table.select(chosenNames(table.names, columns, ignoreUnknown, found.source.name));
}

/**
 * Opens a file as a stream of chunks, for files larger than memory. Types are those that readTable gives; to
 * know them a text file is read through once before the first chunk.
 * @example
 * import { encode, openTable, textSource } from "nearfield";
 *
 * const text = "carrier,distance\nWN,405\nAA,1200\nWN,370\n";
 * const stream = await openTable(textSource(text, "flights.csv"));
 * stream.schema.map(({ kind }) => kind); // => ["nominal", "numeric"]
 * let farthest = 0;
 * for await (const chunk of stream.chunks({ maxRows: 2 }))
 *   farthest = Math.max(farthest, ...encode(chunk, ["distance"]).data);
 * farthest; // => 1200
 */
export async function openTable(
  file: FileInput | Promise<FileInput>,
  options: ReadOptions = {},
): Promise<TableStream> {
  checkOptions(options, "openTable", readNames);
  const source = await sourceOf(file, "openTable");
  return openFound(await recognise(source, options.format, options.signal), options);
}

/**
 * Opens a file of numbers as a stream of chunks: .npy, .fvecs, .ivecs, .bvecs, .fbin, .ibin, .u8bin, .i8bin,
 * IDX, and the points of .ply and .xyz.
 * @param options `begin` and `end` (exclusive) take a range of rows, counted from 0, of files that store row
 *   after row: of a file on disk only these are read. Default all rows.
 * @throws InvalidInputError for the formats of tables, whose columns must be chosen first; for a range that
 *   the file does not have.
 * @example
 * import { blobSource, openMatrix, writeMatrix } from "nearfield";
 *
 * const pieces = [];
 * const matrix = { data: Float32Array.of(1, 2, 3, 4, 5, 6), rows: 3, cols: 2 };
 * for await (const piece of writeMatrix("fvecs", matrix)) pieces.push(piece);
 * const stream = await openMatrix(blobSource(new Blob(pieces), "base.fvecs"));
 * stream.cols; // => 2
 * const chunks = [];
 * for await (const { data } of stream.chunks({ maxRows: 2 })) chunks.push([...data]);
 * chunks; // => [[1, 2, 3, 4], [5, 6]]
 * const last = await openMatrix(blobSource(new Blob(pieces), "base.fvecs"), { begin: 2 });
 * (await collectMatrix(last)).data; // => [5, 6]
 */
export async function openMatrix(
  file: FileInput | Promise<FileInput>,
  options: {
    readonly format?: FormatName;
    readonly memory?: number;
    readonly begin?: number;
    readonly end?: number;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<MatrixStream> {
  checkOptions(options, "openMatrix", { format: 1, memory: 1, begin: 1, end: 1, signal: 1 });
  const { begin, end } = options;
  const source = await sourceOf(file, "openMatrix");
  const found = await recognise(source, options.format, options.signal);
  const stream = await matrixStreamOf(found, options);
  if (stream !== undefined)
    return begin === undefined && end === undefined ? stream : someRows(stream, begin, end);
  throw new InvalidInputError(
    `holds a table (${found.format.name}); read it with readTable or openTable, and choose features (encode)`,
    { file: source.name },
  );
}

/** Does openMatrix for a file whose format is known already; undefined for the formats of tables. */
export async function matrixStreamOf(
  { format, source }: Recognised,
  options: { readonly memory?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<MatrixStream | undefined> {
  const { memory, signal } = options;
  switch (format.name) {
    case "npy":
      return openNpy(source, { signal, ...(memory === undefined ? {} : { memory }) });
    case "fvecs":
      return openFvecs(source, { signal });
    case "ivecs":
      return openIvecs(source, { signal });
    case "bvecs":
      return openBvecs(source, { signal });
    case "fbin":
    case "ibin":
    case "u8bin":
    case "i8bin":
      return openBin(source, format.name, { signal });
    case "idx":
      return openIdx(source, { signal });
    case "ply":
      return (await import("./points/ply.ts")).openPly(source, { signal });
    case "xyz":
      return (await import("./points/xyz.ts")).openXyz(source, { signal });
    case "csv":
    case "jsonl":
    case "json":
    case "parquet":
    case "arrow":
      return undefined;
  }
}

const textOpeners = { csv: openCsv, jsonl: openJsonl, json: openJson };

/** Does what openTable does, for a file whose format is known already. */
export async function openFound(found: Recognised, options: ReadOptions): Promise<TableStream> {
  const { format, source } = found;
  if (format.name === "parquet") return openParquet(source, options);
  if (format.name === "arrow") return openArrow(source, options);
  const matrix = await matrixStreamOf(found, options);
  const stream =
    matrix !== undefined
      ? matrixTable(matrix)
      : await textOpeners[format.name === "jsonl" || format.name === "json" ? format.name : "csv"](
          source,
          options,
        );
  const { columns, ignoreUnknown = false } = options;
  const names = stream.schema.map(({ name }) => name);
  if (matrix !== undefined && !ignoreUnknown) checkKinds(options, names, source.name);
  if (columns === undefined) return stream;
  return selectColumns(stream, chosenNames(names, columns, ignoreUnknown, source.name));
}

/** @throws InvalidInputError for columns that a matrix lacks, and for such as are to be texts. */
function checkKinds(
  { nominal = [], numeric = [] }: ReadOptions,
  names: readonly string[],
  file: string,
): void {
  const has = new Set(names);
  const unknown = [...nominal, ...numeric].find((name) => !has.has(name));
  if (unknown !== undefined) throw unknownColumn(unknown, names, file);
  if (nominal.length === 0) return;
  throw new InvalidInputError("holds only numbers, which are not read as text; leave out nominal", {
    file,
  });
}
