/**
 * This module reads .fvecs, .ivecs and .bvecs, the formats of the TEXMEX collections (SIFT1M, GIST1M and
 * their ground truth): each row is its dimension as a little-endian int32, the same in all rows, followed by
 * so many float32, int32 or unsigned bytes. Writing is vecsWrite.ts.
 */
import type { Matrix } from "../core/matrix.ts";
import { checkOptions, signalOnly } from "../core/options.ts";
import { collectMatrix } from "../core/matrixStream.ts";
import type { MatrixStream } from "../core/matrixStream.ts";
import { plural } from "../core/plural.ts";
import type { ByteCursor } from "./bytes/cursor.ts";
import { elementType } from "./elements.ts";
import type { ElementKind } from "./elements.ts";
import { opened, rowStream } from "./rowStream.ts";
import type { RowLayout } from "./rowStream.ts";
import { errorAt } from "./bytes/source.ts";
import type { ByteSource } from "./bytes/source.ts";

/** The dimension before each row takes this many bytes. */
const PREFIX = 4;

/**
 * Opens an .fvecs file, gzipped or not, as a stream of float32 rows.
 * @throws InvalidInputError naming the byte (from 0) that is wrong, here or while reading.
 * @example
 * import { bytesSource, openFvecs } from "nearfield";
 *
 * const bytes = new Uint8Array(Int32Array.of(2, 0, 0, 2, 0, 0).buffer); // 2 rows of dimension 2
 * const base = await openFvecs(bytesSource(bytes, "base.fvecs"));
 * base.rows; // => 2
 * const chunks = [];
 * for await (const { data } of base.chunks({ maxRows: 1 })) chunks.push([...data]);
 * chunks; // => [[0, 0], [0, 0]]
 */
export async function openFvecs(
  source: ByteSource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<MatrixStream> {
  checkOptions(options, "openFvecs", signalOnly);
  return openVecs(source, "f4", options);
}

/**
 * Opens an .ivecs file, gzipped or not, as a stream of int32 rows.
 * @throws InvalidInputError as openFvecs does.
 * @example
 * import { bytesSource, openIvecs } from "nearfield";
 *
 * const bytes = new Uint8Array(Int32Array.of(2, 7, 8, 2, 9, 10).buffer); // 2 rows of dimension 2
 * const { rows, cols } = await openIvecs(bytesSource(bytes, "truth.ivecs"));
 * [rows, cols]; // => [2, 2]
 */
export async function openIvecs(
  source: ByteSource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<MatrixStream> {
  checkOptions(options, "openIvecs", signalOnly);
  return openVecs(source, "i4", options);
}

/**
 * Opens a .bvecs file, gzipped or not, as a stream of rows of unsigned bytes.
 * @throws InvalidInputError as openFvecs does.
 * @example
 * import { bytesSource, openBvecs } from "nearfield";
 *
 * const bytes = Uint8Array.of(3, 0, 0, 0, 7, 8, 9); // 1 row of dimension 3
 * const { rows, cols } = await openBvecs(bytesSource(bytes, "base.bvecs"));
 * [rows, cols]; // => [1, 3]
 */
export async function openBvecs(
  source: ByteSource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<MatrixStream> {
  checkOptions(options, "openBvecs", signalOnly);
  return openVecs(source, "u1", options);
}

/**
 * Reads all of an .fvecs file as one matrix of float32.
 * @throws InvalidInputError as openFvecs does.
 * @example
 * import { bytesSource, readFvecs } from "nearfield";
 *
 * const bytes = new Uint8Array(Int32Array.of(2, 0, 0, 2, 0, 0).buffer); // 2 rows of dimension 2
 * await readFvecs(bytesSource(bytes, "base.fvecs")); // => { data: [0, 0, 0, 0], rows: 2, cols: 2 }
 */
export async function readFvecs(
  source: ByteSource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Matrix> {
  checkOptions(options, "readFvecs", signalOnly);
  return collectMatrix(await openFvecs(source, options), options);
}

/**
 * Reads all of an .ivecs file as one matrix of int32.
 * @throws InvalidInputError as openFvecs does.
 * @example
 * import { bytesSource, readIvecs } from "nearfield";
 *
 * const bytes = new Uint8Array(Int32Array.of(2, 7, 8, 2, 9, 10).buffer); // 2 rows of dimension 2
 * await readIvecs(bytesSource(bytes, "truth.ivecs")); // => { data: [7, 8, 9, 10], rows: 2, cols: 2 }
 */
export async function readIvecs(
  source: ByteSource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Matrix> {
  checkOptions(options, "readIvecs", signalOnly);
  return collectMatrix(await openIvecs(source, options), options);
}

/**
 * Reads all of a .bvecs file as one matrix of unsigned bytes.
 * @throws InvalidInputError as openFvecs does.
 * @example
 * import { bytesSource, readBvecs } from "nearfield";
 *
 * const bytes = Uint8Array.of(3, 0, 0, 0, 7, 8, 9); // 1 row of dimension 3
 * await readBvecs(bytesSource(bytes, "base.bvecs")); // => { data: [7, 8, 9], rows: 1, cols: 3 }
 */
export async function readBvecs(
  source: ByteSource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Matrix> {
  checkOptions(options, "readBvecs", signalOnly);
  return collectMatrix(await openBvecs(source, options), options);
}

async function openVecs(
  source: ByteSource,
  kind: ElementKind,
  options: { readonly signal?: AbortSignal | undefined },
): Promise<MatrixStream> {
  const file = await opened(source, firstDimension, options);
  return rowStream(file, layoutOf(file.source, file.header, kind));
}

async function firstDimension(cursor: ByteCursor): Promise<number> {
  const { source } = cursor;
  const prefix = await cursor.peek(PREFIX);
  if (prefix.length < PREFIX) {
    throw errorAt(source, prefix.length, "the file ends here, within the dimension of row 0");
  }
  const dimension = int32At(prefix, 0);
  if (dimension >= 1) return dimension;
  throw errorAt(source, 0, `row 0 has the dimension ${dimension}; expected at least 1`);
}

function layoutOf(source: ByteSource, cols: number, kind: ElementKind): RowLayout {
  const type = elementType(kind, "little");
  const valueBytes = cols * type.bytes;
  const rowBytes = PREFIX + valueBytes;
  const rows = (source.byteLength ?? NaN) / rowBytes;
  return {
    begin: 0,
    rowBytes,
    cols,
    // A file of another length is truncated or has rows of several dimensions; reading it tells which.
    rows: Number.isInteger(rows) ? rows : undefined,
    content: `${plural(rows, "row")} of dimension ${cols}`,
    check(bytes, firstRow) {
      for (let at = 0, row = firstRow; at + PREFIX <= bytes.length; at += rowBytes, row++) {
        const dimension = int32At(bytes, at);
        if (dimension === cols) continue;
        throw errorAt(
          source,
          row * rowBytes,
          `row ${row} has the dimension ${dimension}, but row 0 has ${cols}`,
        );
      }
    },
    decode(bytes, firstRow) {
      const rows = bytes.length / rowBytes;
      for (let row = 0; row < rows; row++) {
        const begin = row * rowBytes + PREFIX;
        bytes.copyWithin(row * valueBytes, begin, begin + valueBytes);
      }
      return type.decode(bytes.subarray(0, rows * valueBytes), (index, problem) => {
        const row = firstRow + Math.floor(index / cols);
        return errorAt(source, row * rowBytes, `row ${row}, column ${index % cols} ${problem}`);
      });
    },
  };
}

function int32At(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
}
