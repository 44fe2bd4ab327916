/**
 * This module reads .npy, numpy's format for one array. It takes versions 1 to 3, both orders and all plain
 * numeric types. The first axis becomes the rows and the others, flattened with the last innermost, the
 * columns; one axis gives one column. Writing is write.ts.
 */
import { InvalidInputError, oneOf } from "../../core/errors.ts";
import { checkOptions, signalOnly, type OptionNames } from "../../core/options.ts";
import type { Matrix, NumericArray } from "../../core/matrix.ts";
import { collectMatrix } from "../../core/matrixStream.ts";
import type { MatrixStream } from "../../core/matrixStream.ts";
import { plural } from "../../core/plural.ts";
import { elementType, hostOrder } from "../elements.ts";
import type { ElementKind, FileElementType } from "../elements.ts";
import { fortranStream } from "./fortran.ts";
import { parseNpyHeader } from "./header.ts";
import type { NpyHeader } from "./header.ts";
import { opened, rowStream } from "../rowStream.ts";
import type { FortranLayout } from "./fortran.ts";
import { DEFAULT_BYTES } from "../bytes/budget.ts";
import type { ByteCursor } from "../bytes/cursor.ts";
import { errorAt } from "../bytes/source.ts";
import type { ByteSource } from "../bytes/source.ts";

/**
 * `openNpy` takes these options.
 * @example
 * const dict = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}";
 * const head = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, dict.length, 0);
 * const pipe = { name: "pipe", stream: () => new Blob([head, dict, "adbecf"]).stream() };
 * const options: NpyOptions = { memory: 5 }; // the array takes 6 bytes, and a pipe cannot be read in blocks
 * const chunks = (await openNpy(pipe, options)).chunks({ maxRows: 1 })[Symbol.asyncIterator]();
 * await chunks.next().catch((error: unknown) => error instanceof InvalidInputError); // => true
 */
export interface NpyOptions {
  /**
   * An array in Fortran order has to be transposed, for which it may take this many bytes. A larger one is
   * read in blocks from all over the file if the source has `slice`, and is an error otherwise. The default
   * is 1 GiB.
   */
  readonly memory?: number;
  /** Aborting it while the header is read rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * It gives the rows of an .npy file, and its header.
 * @example
 * const pieces = [];
 * for await (const piece of writeNpy(Int16Array.of(3, 1, 2))) pieces.push(piece);
 * const { header, rows, cols }: NpyStream = await openNpy(blobSource(new Blob(pieces), "labels.npy"));
 * [rows, cols]; // => [3, 1]
 * header.shape; // => [3]
 */
export interface NpyStream extends MatrixStream {
  readonly header: NpyHeader;
}

/** Says what is wrong with the header, at its place. */
type Refusal = (message: string) => Error;

const KINDS: readonly ElementKind[] = [
  "f2",
  "f4",
  "f8",
  "i1",
  "i2",
  "i4",
  "i8",
  "u1",
  "u2",
  "u4",
  "u8",
  "b1",
];

/**
 * Opens an .npy file, gzipped or not, as a stream of rows. Elements keep their type, but float16 becomes
 * float32, 64-bit integers float64 and booleans unsigned bytes.
 * @throws InvalidInputError naming the byte (from 0) that is wrong, here or while reading; an integer beyond
 *   2^53 with its row and column (from 0).
 * @example
 * import { blobSource, openNpy, writeNpy } from "nearfield";
 *
 * const pieces = [];
 * const matrix = { data: Float32Array.of(1, 2, 3, 4, 5, 6), rows: 3, cols: 2 };
 * for await (const piece of writeNpy(matrix)) pieces.push(piece);
 * const stream = await openNpy(blobSource(new Blob(pieces), "x.npy"));
 * stream.header.descr; // => "<f4"
 * const chunks = [];
 * for await (const { data } of stream.chunks({ maxRows: 2 })) chunks.push([...data]);
 * chunks; // => [[1, 2, 3, 4], [5, 6]]
 */
export async function openNpy(source: ByteSource, options: NpyOptions = {}): Promise<NpyStream> {
  checkOptions(options, "openNpy", { memory: 1, signal: 1 } satisfies OptionNames<NpyOptions>);
  return (await openFile(source, options)).stream;
}

/**
 * Reads all of an .npy file as one matrix. For an array of one axis, `data` holds its values, such as labels.
 * @throws InvalidInputError as openNpy does.
 * @example
 * import { blobSource, readNpy, writeNpy } from "nearfield";
 *
 * const pieces = [];
 * const matrix = { data: Float32Array.of(1, 2, 3, 4, 5, 6), rows: 3, cols: 2 };
 * for await (const piece of writeNpy(matrix)) pieces.push(piece);
 * await readNpy(blobSource(new Blob(pieces), "x.npy")); // => { data: [1, 2, 3, 4, 5, 6], rows: 3, cols: 2 }
 */
export async function readNpy(
  source: ByteSource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Matrix> {
  checkOptions(options, "readNpy", signalOnly);
  const { stream, layout } = await openFile(source, options);
  if (stream.rows !== 0) return collectMatrix(stream, options);
  return { data: layout.decode(new Uint8Array(0), 0), rows: 0, cols: stream.cols };
}

/**
 * Reads all of an .npy file with its shape. 64-bit integers stay as they are; other elements are converted as
 * by `readNpy`.
 * @returns data in C order, the last axis innermost
 * @throws InvalidInputError as openNpy does.
 * @example
 * const pieces = [];
 * for await (const piece of writeNpy(BigInt64Array.of(-(2n ** 62n), 3n))) pieces.push(piece);
 * const { data, shape } = await readNpyArray(blobSource(new Blob(pieces), "x.npy"));
 * data; // => BigInt64Array [-4611686018427387904n, 3n]
 * shape; // => [2]
 */
export async function readNpyArray(
  source: ByteSource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<{
  readonly data: NumericArray | BigInt64Array | BigUint64Array;
  readonly shape: readonly number[];
}> {
  checkOptions(options, "readNpyArray", signalOnly);
  const { stream, layout } = await openFile(source, options, true);
  const { shape } = stream.header;
  if (stream.rows === 0 || stream.cols === 0) return { data: layout.decode(new Uint8Array(0), 0), shape };
  return { data: (await collectMatrix(stream, options)).data, shape };
}

async function openFile(source: ByteSource, { memory = DEFAULT_BYTES, signal }: NpyOptions, wide = false) {
  if (!(memory >= 0)) throw new InvalidInputError(`memory is ${memory}; expected a number of bytes`);
  const parse = async (cursor: ByteCursor) => {
    const { header, dictAt } = await parseNpyHeader(cursor);
    const refuse: Refusal = (message) => errorAt(cursor.source, dictAt, message);
    return { header, layout: layoutOf(header, cursor.position, cursor.source, wide, refuse) };
  };
  const file = await opened(source, parse, { memory: Math.max(memory, DEFAULT_BYTES), signal });
  const { header, layout } = file.header;
  // With one axis longer than 1 both orders are the same.
  const ordersDiffer = header.shape.filter((size) => size > 1).length > 1;
  const stream =
    header.fortranOrder && ordersDiffer ? fortranStream(file, layout, memory) : rowStream(file, layout);
  return { stream: { ...stream, header }, layout };
}

function typeOf(descr: string, wide: boolean, refuse: Refusal): FileElementType {
  const [, order, name] = /^([<>=|]?)(.*)$/s.exec(descr) ?? [];
  const kind = KINDS.find((each) => each === name);
  if (kind === undefined) {
    throw refuse(
      `the elements are of numpy's type ${JSON.stringify(descr)}; expected ${oneOf(KINDS)} with the byte order < or >; ` +
        `convert them first, such as with array.astype("float64")`,
    );
  }
  return elementType(kind, order === ">" ? "big" : order === "<" ? "little" : hostOrder(), wide);
}

function layoutOf(
  { descr, shape }: NpyHeader,
  begin: number,
  source: ByteSource,
  wide: boolean,
  refuse: Refusal,
): FortranLayout {
  const type = typeOf(descr, wide, refuse);
  if (shape.length === 0) throw refuse("the array is a single number; expected one with rows");
  const [rows, ...others] = shape;
  const cols = others.reduce((product, size) => product * size, 1);
  if (!(begin + Math.max(1, rows) * cols * type.bytes <= Number.MAX_SAFE_INTEGER)) {
    throw refuse(`an array of the shape (${shape.join(", ")}) is larger than any file`);
  }
  if (cols === 0 && !wide) {
    throw refuse(`the shape (${shape.join(", ")}) has no columns; expected at least one`);
  }
  return {
    begin,
    rowBytes: cols * type.bytes,
    cols,
    rows,
    content: `${plural(rows, "row")} x ${plural(cols, "column")}`,
    shape,
    type,
    verbatim: type.verbatim,
    decode: (bytes, firstRow) =>
      type.decode(bytes, (index, problem) => {
        const row = firstRow + Math.floor(index / cols);
        const byte = begin + (row * cols + (index % cols)) * type.bytes;
        return errorAt(source, byte, `row ${row}, column ${index % cols} ${problem}`);
      }),
  };
}
