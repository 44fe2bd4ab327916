/**
 * This module reads .fbin, .ibin, .u8bin and .i8bin, the formats of big-ann-benchmarks. They hold the number
 * of rows and their dimension as little-endian uint32, then all rows, of float32, int32, unsigned or signed
 * bytes. Ground truth is an .ibin of row numbers that the distances follow, as float32. Writing is
 * countedWrite.ts.
 */
import { checkOptions, signalOnly } from "../core/options.ts";
import { collectMatrix } from "../core/matrixStream.ts";
import type { MatrixStream } from "../core/matrixStream.ts";
import { plural } from "../core/plural.ts";
import type { ByteCursor } from "./bytes/cursor.ts";
import { errorAt } from "./bytes/source.ts";
import type { ByteSource } from "./bytes/source.ts";
import { writeCounted, type BinFormat } from "./countedWrite.ts";
import { elementType } from "./elements.ts";
import { opened, rowStream, type OpenedRows, type RowLayout } from "./rowStream.ts";

const kinds = { fbin: "f4", ibin: "i4", u8bin: "u1", i8bin: "i1" } as const;

interface BinsShape {
  readonly rows: number;
  readonly cols: number;
}

const HEADER_BYTES = 8;
/** A row number or a distance takes this many bytes. */
const ENTRY_BYTES = 4;

/**
 * Opens one of these files, gzipped or not, as a stream of rows; of ground truth the row numbers.
 * @throws InvalidInputError naming the byte (from 0) where the file is not what it says, here or while
 *   reading
 */
export async function openBin(
  source: ByteSource,
  format: BinFormat,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<MatrixStream> {
  const file = await opened(source, shapeOf, options);
  const { rows, cols } = file.header;
  return rowStream(file, {
    ...layoutOf(file, kinds[format], HEADER_BYTES),
    ...(format === "ibin" ? { mayFollow: ENTRY_BYTES * rows * cols } : {}),
  });
}

/**
 * Queries have these true neighbours, as big-ann-benchmarks keeps them: row-major, with a stride of k,
 * nearest first.
 * @example
 * const truth: GroundTruth = { indices: Uint32Array.of(4, 0), distances: [0.5, 2], queries: 1, k: 2 };
 * const pieces = [];
 * for await (const piece of writeGroundTruth(truth)) pieces.push(piece);
 * new Blob(pieces).size; // => 8 + 2 * (4 + 4)
 */
export interface GroundTruth {
  /** Row numbers count from 0. */
  readonly indices: ArrayLike<number>;
  readonly distances: ArrayLike<number>;
  readonly queries: number;
  readonly k: number;
}

/**
 * Writes neighbours, such as a result of `kneighbors`, as the ground truth of big-ann-benchmarks, often
 * called .ibin: the number of queries and k as uint32, all row numbers as int32, then all distances as
 * float32, to which they are rounded. Tools of that project expect squared distances (metric sqeuclidean).
 * @throws InvalidInputError for a row number beyond int32, such as 0xFFFFFFFF for no neighbour, and for a
 *   distance beyond the range of float32, with query and rank (from 0).
 * @example
 * import { bytesSource, kneighbors, readGroundTruth, writeGroundTruth } from "nearfield";
 *
 * const truth = await kneighbors([[0], [3], [4]], [[1]], { k: 2, metric: "sqeuclidean" });
 * const pieces = [];
 * for await (const piece of writeGroundTruth(truth)) pieces.push(piece);
 * const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
 * const { indices, distances } = await readGroundTruth(bytesSource(bytes, "truth.ibin"));
 * [indices, distances]; // => [[0, 1], [1, 4]]
 */
export async function* writeGroundTruth(
  { indices, distances, queries, k }: GroundTruth,
  options: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  checkOptions(options, "writeGroundTruth", signalOnly);
  const matrix = (values: ArrayLike<number>) => ({ data: Float64Array.from(values), rows: queries, cols: k });
  yield* writeCounted("ibin", matrix(indices), options);
  let header = true;
  for await (const piece of writeCounted("fbin", matrix(distances), { ...options, round: true })) {
    if (!header) yield piece;
    header = false;
  }
}

/**
 * Reads ground truth of big-ann-benchmarks, as `writeGroundTruth` writes it, gzipped or not.
 * @throws InvalidInputError naming the byte (from 0) where the file is not what it says, such as one of row
 *   numbers alone, which `openMatrix` reads.
 * @example
 * const file = new Uint8Array(12 + 4); // of one query and k = 1
 * new DataView(file.buffer).setUint32(0, 1, true);
 * new DataView(file.buffer).setUint32(4, 1, true);
 * const { indices, k } = await readGroundTruth(bytesSource(file, "truth.ibin"));
 * [indices, k]; // => [[0], 1]
 */
export async function readGroundTruth(
  source: ByteSource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<GroundTruth & { readonly indices: Uint32Array; readonly distances: Float32Array }> {
  checkOptions(options, "readGroundTruth", signalOnly);
  const file = await opened(source, shapeOf, options);
  const { rows: queries, cols: k } = file.header;
  // Both parts at once, as rows of int32: numbers, then distances by their bits.
  const layout = { ...layoutOf(file, "i4", HEADER_BYTES), rows: 2 * queries };
  const content = `neighbours and distances of ${plural(queries, "query", "queries")}, k = ${k},`;
  const { data } = await collectMatrix(rowStream(file, { ...layout, content }), options);
  const indices = Uint32Array.from(data.subarray(0, queries * k));
  const bits = Int32Array.from(data.subarray(queries * k));
  return { indices, distances: new Float32Array(bits.buffer), queries, k };
}

async function shapeOf(cursor: ByteCursor): Promise<BinsShape> {
  const { source } = cursor;
  const start = await cursor.take(HEADER_BYTES);
  if (start.length < HEADER_BYTES)
    throw errorAt(source, start.length, "the file ends here, within the 8 bytes of rows and dimension");
  const view = new DataView(start.buffer);
  const [rows, cols] = [view.getUint32(0, true), view.getUint32(4, true)];
  if (rows >= 1 && cols >= 1) return { rows, cols };
  throw errorAt(
    source,
    rows < 1 ? 0 : 4,
    `the file says ${plural(rows, "row")} x ${plural(cols, "column")}; expected at least one`,
  );
}

function layoutOf(
  { source, header: { rows, cols } }: OpenedRows<BinsShape>,
  kind: "f4" | "i4" | "u1" | "i1",
  begin: number,
): RowLayout {
  const type = elementType(kind, "little");
  const rowBytes = cols * type.bytes;
  if (2 * rows * rowBytes > Number.MAX_SAFE_INTEGER)
    throw errorAt(source, 0, `${plural(rows, "row")} x ${plural(cols, "column")} are larger than any file`);
  return {
    begin,
    rowBytes,
    cols,
    rows,
    content: `${plural(rows, "row")} x ${plural(cols, "column")}`,
    verbatim: type.verbatim,
    // None of the types has values that are refused.
    decode: (bytes) => type.decode(bytes, (_, problem) => new Error(problem)),
  };
}
