/**
 * This module writes .fvecs, .ivecs and .bvecs (vecs.ts says what they are), in pieces, so that the rows may
 * be more than memory holds. A number that the format cannot hold exactly is refused.
 */
import { untilAborted } from "../core/async/aborted.ts";
import { checkOptions, signalOnly, type OptionNames } from "../core/options.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { Matrix, NumericArray } from "../core/matrix.ts";
import { asStream } from "../core/matrixStream.ts";
import type { MatrixStream } from "../core/matrixStream.ts";
import { littleEndian } from "./elements.ts";

/**
 * `writeIvecs` and `writeBvecs` take these options.
 * @example
 * const options: VecsWriteOptions = { signal: AbortSignal.abort() };
 * const pieces = writeIvecs({ data: Int32Array.of(4, 0), rows: 1, cols: 2 }, options);
 * await pieces.next().catch(({ name }: Error) => name); // => "AbortError"
 */
export interface VecsWriteOptions {
  readonly signal?: AbortSignal;
}

/**
 * `writeFvecs` takes these options.
 * @example
 * const options: FvecsWriteOptions = { round: true }; // 0.1 is no float32
 * const matrix = { data: Float64Array.of(0.1), rows: 1, cols: 1 };
 * const pieces = [];
 * for await (const piece of writeFvecs(matrix, options)) pieces.push(piece);
 * (await readFvecs(blobSource(new Blob(pieces), "x.fvecs"))).data; // => [Math.fround(0.1)]
 */
export interface FvecsWriteOptions extends VecsWriteOptions {
  /**
   * True rounds to the nearest float32; a value that would become infinite is still an error. The default,
   * false, makes it an error if float32 cannot hold a value exactly.
   */
  readonly round?: boolean;
}

/** A format holds the values of a row so. */
export interface ValueFormat {
  readonly Type: typeof Float32Array | typeof Int32Array | typeof Uint8Array | typeof Int8Array;
  holds(value: number): boolean;
  /** The error message ends so: "..., which <this>". */
  readonly otherwise: string;
}

/**
 * Writes rows as .fvecs, float32. Float64 data must be float32 numbers unless rounding is asked for.
 * @throws InvalidInputError naming row and column (from 0) of the first value that float32 cannot hold; for
 *   no rows at all.
 * @example
 * import { writeFvecs } from "nearfield";
 *
 * const pieces = [];
 * for await (const piece of writeFvecs({ data: new Float32Array(6), rows: 3, cols: 2 })) pieces.push(piece);
 * new Blob(pieces).size; // => 36
 */
export async function* writeFvecs(
  rows: Matrix | MatrixStream,
  options: FvecsWriteOptions = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  checkOptions(options, "writeFvecs", { round: 1, signal: 1 } satisfies OptionNames<FvecsWriteOptions>);
  const { round = false, signal } = options;
  yield* pieces(rows, round ? targets.roundedFloats : targets.floats, signal);
}

/**
 * Writes rows as .ivecs, int32, such as the indices of neighbours.
 * @throws InvalidInputError naming row and column (from 0) of the first value that is not an int32, such as
 *   the index 0xFFFFFFFF for no neighbour; for no rows at all.
 * @example
 * import { writeIvecs } from "nearfield";
 *
 * const indices = Uint32Array.of(4, 0, 9, 1, 2, 3); // of the 2 nearest neighbours of 3 queries
 * const pieces = [];
 * for await (const piece of writeIvecs({ data: indices, rows: 3, cols: 2 })) pieces.push(piece);
 * new Blob(pieces).size; // => 36
 */
export async function* writeIvecs(
  rows: Matrix | MatrixStream,
  options: VecsWriteOptions = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  checkOptions(options, "writeIvecs", signalOnly);
  const { signal } = options;
  yield* pieces(rows, targets.integers, signal);
}

/**
 * Writes rows as .bvecs, unsigned bytes.
 * @throws InvalidInputError naming row and column (from 0) of the first value that is not a whole number from
 *   0 to 255; for a matrix without rows.
 * @example
 * import { writeBvecs } from "nearfield";
 *
 * const pieces = [];
 * for await (const piece of writeBvecs({ data: new Uint8Array(6), rows: 3, cols: 2 })) pieces.push(piece);
 * new Blob(pieces).size; // => 18
 */
export async function* writeBvecs(
  rows: Matrix | MatrixStream,
  options: VecsWriteOptions = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  checkOptions(options, "writeBvecs", signalOnly);
  const { signal } = options;
  yield* pieces(rows, targets.bytes, signal);
}

export const targets = {
  floats: {
    Type: Float32Array,
    holds: (value) => Math.fround(value) === value || Number.isNaN(value),
    otherwise: "float32 cannot hold exactly; convert the data, or pass round: true",
  },
  roundedFloats: {
    Type: Float32Array,
    holds: (value) => Number.isFinite(Math.fround(value)) || !Number.isFinite(value),
    otherwise: "is beyond the range of float32; rescale it",
  },
  integers: {
    Type: Int32Array,
    holds: (value) => (value | 0) === value,
    otherwise: "is not a whole number from -2147483648 to 2147483647, as the format holds",
  },
  bytes: {
    Type: Uint8Array,
    holds: (value) => (value & 255) === value,
    otherwise: "is not a whole number from 0 to 255, as the format holds",
  },
  signedBytes: {
    Type: Int8Array,
    holds: (value) => (value << 24) >> 24 === value,
    otherwise: "is not a whole number from -128 to 127, as the format holds",
  },
} satisfies Readonly<Record<string, ValueFormat>>;

async function* pieces(
  rows: Matrix | MatrixStream,
  target: ValueFormat,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const stream = asStream(rows, "the matrix");
  let written = 0;
  const chunks = stream.chunks(signal === undefined ? {} : { signal });
  for await (const chunk of untilAborted(chunks, signal)) {
    yield rowsWithDimensions(held(chunk, target, stream.name, written), chunk);
    written += chunk.rows;
  }
  if (written > 0) return;
  throw new InvalidInputError(
    "has no rows, and a file without any does not say how many columns there are; write .npy",
    { file: stream.name },
  );
}

/**
 * Returns the values of a chunk in the type of the target.
 * @param before rows that came before
 * @throws InvalidInputError naming row and column (from 0) of the first value that the target does not hold
 */
export function held(
  { data, cols }: Matrix,
  { Type, holds, otherwise }: ValueFormat,
  file: string,
  before: number,
) {
  if (data instanceof Type) return data;
  const at = data.findIndex((value) => !holds(value));
  if (at < 0) return new Type(data);
  const place = `row ${before + Math.floor(at / cols)}, column ${at % cols}`;
  throw new InvalidInputError(`${place} is ${data[at]}, which ${otherwise}`, { file });
}

function rowsWithDimensions(data: NumericArray, { rows, cols }: Matrix): Uint8Array<ArrayBuffer> {
  const prefix = littleEndian(Int32Array.of(cols));
  const values = littleEndian(data);
  const valueBytes = cols * data.BYTES_PER_ELEMENT;
  const rowBytes = prefix.length + valueBytes;
  const out = new Uint8Array(rows * rowBytes);
  for (let row = 0; row < rows; row++) {
    out.set(prefix, row * rowBytes);
    out.set(values.subarray(row * valueBytes, (row + 1) * valueBytes), row * rowBytes + prefix.length);
  }
  return out;
}
