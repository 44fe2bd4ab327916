/**
 * This module writes .npy: the bytes numpy.save writes for the same array (numpy 1.23 or later), in pieces,
 * so that the rows may be more than memory holds. Reading is read.ts.
 *
 * The header comes first and says how many rows follow. numpy leaves room in it for 21 digits, so its length
 * is the same for any number, and a stream that learns its number only at the end gets its header corrected
 * then, in place.
 */
import { unlessAborted, untilAborted } from "../../core/async/aborted.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { InvalidInputError, assert } from "../../core/errors.ts";
import type { Matrix, NumericArray } from "../../core/matrix.ts";
import { asStream } from "../../core/matrixStream.ts";
import type { MatrixStream } from "../../core/matrixStream.ts";
import { kindOf, littleEndian } from "../elements.ts";
import { formatNpyHeader } from "./header.ts";

/**
 * `writeNpy` takes these options.
 * @example
 * const chunk = { data: Uint8Array.of(7, 8), rows: 2, cols: 1 };
 * const stream = streamOf({ name: "sensor", cols: 1, chunks: async function* () { yield chunk; } });
 * const pieces: Uint8Array<ArrayBuffer>[] = [];
 * const options: NpyWriteOptions = { rewriteStart: (bytes) => void (pieces[0] = bytes.slice()) };
 * for await (const piece of writeNpy(stream, options)) pieces.push(piece);
 * (await readNpy(blobSource(new Blob(pieces), "x.npy"))).rows; // => 2
 */
export interface NpyWriteOptions {
  readonly signal?: AbortSignal;
  /**
   * Writes these bytes over the first ones of the file, after the last piece. It is needed for a stream that
   * does not know its number of rows; until it is called the header says 0 rows.
   */
  readonly rewriteStart?: (bytes: Uint8Array) => void | Promise<void>;
  /** A typed array is written with this shape, the last axis innermost; default [length]. */
  readonly shape?: readonly number[];
}

/**
 * Writes a matrix or a stream as an array of shape (rows, cols), a typed array as one of shape (n,) or of
 * `shape`, in C order. Elements keep their type, 64-bit integers of a typed array too; a stream without any
 * row is float64. Pieces may be views on the data: write them before asking for the next.
 * @throws InvalidInputError for a stream that does not know its number of rows, without `rewriteStart`.
 * @example
 * import { writeNpy } from "nearfield";
 *
 * const pieces = [];
 * const matrix = { data: Float32Array.of(1, 2, 3, 4, 5, 6), rows: 3, cols: 2 };
 * for await (const piece of writeNpy(matrix)) pieces.push(piece);
 * new Blob(pieces).size; // => 128 + 24
 */
export async function* writeNpy(
  values: NumericArray | BigInt64Array | BigUint64Array | Matrix | MatrixStream,
  options: NpyWriteOptions = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const names: OptionNames<NpyWriteOptions> = { signal: 1, rewriteStart: 1, shape: 1 };
  checkOptions(options, "writeNpy", names);
  const { signal, rewriteStart } = options;
  if (values instanceof BigInt64Array || values instanceof BigUint64Array || options.shape !== undefined) {
    const array = values as NumericArray;
    yield formatNpyHeader(descrOf(kindOf(array)), checkedShape(array, options.shape ?? [array.length]));
    yield littleEndian(array);
    return;
  }
  const flat = ArrayBuffer.isView(values);
  const rows = flat ? { data: values, rows: values.length, cols: 1 } : values;
  const stream = asStream(rows, "the matrix");
  if (stream.rows === undefined && rewriteStart === undefined) {
    throw new InvalidInputError(
      "tells its number of rows only at the end, but the header of .npy comes first; write to a file whose start can be " +
        "rewritten (rewriteStart), collect the matrix before, or write .fvecs",
      { file: stream.name },
    );
  }
  const header = (kind: string, count: number) =>
    formatNpyHeader(descrOf(kind), flat ? [count] : [count, stream.cols]);

  let kind = flat ? kindOf(values) : undefined;
  let written = 0;
  if (kind !== undefined) yield header(kind, stream.rows ?? 0);
  const chunks = stream.chunks(signal === undefined ? {} : { signal });
  for await (const chunk of untilAborted(chunks, signal)) {
    if (kind === undefined) yield header((kind = kindOf(chunk.data)), stream.rows ?? 0);
    assert(kindOf(chunk.data) === kind, `${stream.name} gives chunks of several types`);
    yield littleEndian(chunk.data);
    written += chunk.rows;
  }
  assert(written === (stream.rows ?? written), `${stream.name} gives ${written} rows, not ${stream.rows}`);
  if (kind === undefined) yield header((kind = "f8"), 0);
  if (stream.rows === undefined) await unlessAborted(rewriteStart?.(header(kind, written)), signal);
}

function descrOf(kind: string): string {
  return kind.endsWith("1") ? `|${kind}` : `<${kind}`;
}

/** @throws InvalidInputError for a shape of another number of elements, or of what is no typed array */
function checkedShape({ length }: NumericArray, shape: readonly number[]): readonly number[] {
  const isShape = shape.length > 0 && shape.every((size) => Number.isInteger(size) && size >= 0);
  if (isShape && shape.reduce((product, size) => product * size, 1) === length) return shape;
  throw new InvalidInputError(
    `shape is [${shape.join(", ")}], but there are ${length ?? "no"} elements; expected a typed array, and sizes whose ` +
      "product is its length",
  );
}
