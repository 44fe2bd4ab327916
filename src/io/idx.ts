/**
 * IDX is the format of the MNIST files: two zero bytes, an element type, the number of dimensions, each
 * dimension as 32 bits, then the elements with the last dimension innermost; everything big-endian. The first
 * dimension becomes the rows and the others, flattened, the columns: images become rows of pixels. Writing is
 * countedWrite.ts.
 */
import { InvalidInputError } from "../core/errors.ts";
import { checkOptions, signalOnly } from "../core/options.ts";
import type { Matrix, NumericArray } from "../core/matrix.ts";
import { collectMatrix } from "../core/matrixStream.ts";
import type { MatrixStream } from "../core/matrixStream.ts";
import type { ByteCursor } from "./bytes/cursor.ts";
import { elementType } from "./elements.ts";
import type { ElementKind, FileElementType } from "./elements.ts";
import { opened, rowStream } from "./rowStream.ts";
import { errorAt } from "./bytes/source.ts";
import type { ByteSource } from "./bytes/source.ts";

export interface IdxArray {
  readonly dims: readonly number[];
  /** They are the elements, row-major. */
  readonly data: NumericArray;
}

/**
 * It gives the rows of an IDX file, and its dimensions.
 * @example
 * const header = [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3]; // 2 x 1 x 3 unsigned bytes
 * const file = bytesSource(Uint8Array.from([...header, 1, 2, 3, 4, 5, 6]), "images.idx");
 * const { dims, rows, cols }: IdxStream = await openIdx(file);
 * dims; // => [2, 1, 3]
 * [rows, cols]; // => [2, 3]
 */
export interface IdxStream extends MatrixStream {
  readonly dims: readonly number[];
}

interface IdxHeader {
  readonly dims: readonly number[];
  readonly type: FileElementType;
}

/** Element types have these codes. */
export const IDX_CODES: Readonly<Record<number, ElementKind>> = {
  0x08: "u1",
  0x09: "i1",
  0x0b: "i2",
  0x0c: "i4",
  0x0d: "f4",
  0x0e: "f8",
};

/** The type and the rank together take so many bytes, and so does each dimension. */
const HEADER_BYTES = 4;

/**
 * Opens an IDX file, gzipped or not, as a stream of rows.
 * @throws InvalidInputError naming the byte (from 0) where the file is not what it says, here or while
 *   reading.
 * @example
 * import { bytesSource, openIdx } from "nearfield";
 *
 * // 2 x 3 unsigned bytes
 * const bytes = Uint8Array.of(0, 0, 0x08, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6);
 * const { rows, cols, dims } = await openIdx(bytesSource(bytes, "images.idx"));
 * [rows, cols]; // => [2, 3]
 * dims; // => [2, 3]
 */
export async function openIdx(
  source: ByteSource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<IdxStream> {
  checkOptions(options, "openIdx", signalOnly);
  const file = await opened(source, parseHeader, options);
  const { dims, type } = file.header;
  const [rows, ...others] = dims;
  const cols = others.reduce((product, size) => product * size, 1);
  const stream = rowStream(file, {
    begin: HEADER_BYTES * (1 + dims.length),
    rowBytes: cols * type.bytes,
    cols,
    rows,
    content: `${dims.join(" x ")} elements of ${type.bytes} bytes`,
    // None of the types has values that are refused.
    decode: (bytes) => type.decode(bytes, (_, problem) => new Error(problem)),
  });
  return { ...stream, dims };
}

/** Reads all of an IDX file. @throws InvalidInputError as openIdx does. */
export async function readIdx(
  source: ByteSource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<IdxArray> {
  const stream = await openIdx(source, options);
  return { dims: stream.dims, data: (await collectMatrix(stream, options)).data };
}

/**
 * Reads all of an IDX file as one matrix: the first dimension as rows, the rest flattened into columns.
 * @throws InvalidInputError as openIdx does.
 * @example
 * const header = [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3]; // 2 x 1 x 3 unsigned bytes
 * const source = bytesSource(Uint8Array.from([...header, 1, 2, 3, 4, 5, 6]), "images");
 * await readIdxMatrix(source); // => { data: [1, 2, 3, 4, 5, 6], rows: 2, cols: 3 }
 */
export async function readIdxMatrix(
  source: ByteSource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Matrix> {
  checkOptions(options, "readIdxMatrix", signalOnly);
  return collectMatrix(await openIdx(source, options), options);
}

/**
 * Reads an IDX file of labels, one byte per row.
 * @throws InvalidInputError for other dimensions or elements
 * @example
 * const source = bytesSource(Uint8Array.from([0, 0, 8, 1, 0, 0, 0, 3, 7, 2, 1]), "labels");
 * await readIdxLabels(source); // => Uint8Array [7, 2, 1]
 */
export async function readIdxLabels(
  source: ByteSource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Uint8Array> {
  checkOptions(options, "readIdxLabels", signalOnly);
  const { dims, data } = await readIdx(source, options);
  if (dims.length === 1 && data instanceof Uint8Array) return data;
  throw new InvalidInputError(
    `holds ${dims.join(" x ")} elements of ${data.constructor.name}; labels are one dimension of unsigned bytes`,
    { file: source.name },
  );
}

async function parseHeader(cursor: ByteCursor): Promise<IdxHeader> {
  const { source } = cursor;
  const fail = (byte: number, message: string) => errorAt(source, byte, message);
  const start = await cursor.take(HEADER_BYTES);
  if (start.length < HEADER_BYTES) {
    throw fail(start.length, "the file ends here, within the 4 bytes that say what it holds");
  }
  const [zero, secondZero, code, rank] = start;
  if (zero !== 0 || secondZero !== 0) {
    const found = Array.from(start, hex).join(" ");
    throw fail(0, `found ${found}; an IDX file starts with two zero bytes`);
  }
  const kind = IDX_CODES[code];
  if (kind === undefined) {
    const known = Object.keys(IDX_CODES).map(Number).map(hex).join(", ");
    throw fail(2, `the element type is 0x${hex(code)}; expected one of ${known} (hexadecimal)`);
  }
  if (rank === 0) throw fail(3, "there are no dimensions; expected at least one");
  const bytes = await cursor.take(HEADER_BYTES * rank);
  if (bytes.length < HEADER_BYTES * rank) {
    throw fail(cursor.position, `the file ends here, within its ${rank} dimensions`);
  }
  const view = new DataView(bytes.buffer);
  const dims = Array.from({ length: rank }, (_, axis) => {
    const size = view.getInt32(HEADER_BYTES * axis);
    if (size >= 1) return size;
    throw fail(HEADER_BYTES * (1 + axis), `dimension ${axis} is ${size}; expected at least 1`);
  });
  const type = elementType(kind, "big");
  if (dims.reduce((product, size) => product * size, type.bytes) > Number.MAX_SAFE_INTEGER) {
    throw fail(HEADER_BYTES, `${dims.join(" x ")} elements are larger than any file`);
  }
  return { dims, type };
}

function hex(value: number): string {
  return value.toString(16).padStart(2, "0");
}
