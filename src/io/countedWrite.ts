/**
 * This module writes the formats whose header says how many rows follow: .fbin, .ibin, .u8bin and .i8bin
 * (bins.ts says what they are) and IDX (idx.ts), in pieces, so that the rows may be more than memory holds. A
 * number that the format cannot hold exactly is refused.
 */
import { untilAborted } from "../core/async/aborted.ts";
import { assert, InvalidInputError } from "../core/errors.ts";
import type { Matrix } from "../core/matrix.ts";
import { asStream } from "../core/matrixStream.ts";
import type { MatrixStream } from "../core/matrixStream.ts";
import { inOrder, kindOf, littleEndian } from "./elements.ts";
import { IDX_CODES } from "./idx.ts";
import { held, targets, type ValueFormat } from "./vecsWrite.ts";

export type BinFormat = "fbin" | "ibin" | "u8bin" | "i8bin";

const binTargets: Readonly<Record<BinFormat, ValueFormat>> = {
  fbin: targets.floats,
  ibin: targets.integers,
  u8bin: targets.bytes,
  i8bin: targets.signedBytes,
};

/**
 * Writes rows as a format with a counted header; IDX in the type of the data, of two dimensions.
 * @param options `round` rounds to float32 instead of refusing
 * @throws InvalidInputError for a stream that does not know its number of rows; naming row and column (from
 *   0) of a value that the format cannot hold; for a type that IDX lacks
 */
export async function* writeCounted(
  format: BinFormat | "idx",
  rows: Matrix | MatrixStream,
  { signal, round = false }: { readonly signal?: AbortSignal; readonly round?: boolean } = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const stream = asStream(rows, "the matrix");
  const count = stream.rows;
  if (count === undefined || count === 0 || count >= 2 ** 32) throw uncounted(stream, format);
  const target = format === "idx" ? undefined : binTargets[format];
  let written = 0;
  for await (const chunk of untilAborted(stream.chunks(signal === undefined ? {} : { signal }), signal)) {
    if (target === undefined) {
      if (written === 0) yield idxHeader(chunk, stream, count);
      yield inOrder(chunk.data, "big");
    } else {
      if (written === 0) yield littleEndian(Uint32Array.of(count, stream.cols));
      yield littleEndian(held(chunk, round ? targets.roundedFloats : target, stream.name, written));
    }
    written += chunk.rows;
  }
  assert(written === count, `${stream.name} gives ${written} rows, not ${count}`);
}

function idxHeader({ data }: Matrix, { name, cols }: MatrixStream, rows: number): Uint8Array<ArrayBuffer> {
  const kind = kindOf(data);
  const code = Object.keys(IDX_CODES)
    .map(Number)
    .find((each) => IDX_CODES[each] === kind);
  if (code !== undefined) return inOrder(Int32Array.of((code << 8) | 2, rows, cols), "big");
  throw new InvalidInputError(
    `is of ${data.constructor.name}, which IDX does not have; expected bytes, int16, int32, float32 or float64`,
    { file: name },
  );
}

function uncounted({ name, rows }: MatrixStream, format: string): InvalidInputError {
  const why =
    rows === undefined
      ? `tells its number of rows only at the end, but the header of ${format} comes first; collect the matrix before, or write .fvecs`
      : `has ${rows} rows; a file of ${format} has between 1 and 4294967295`;
  return new InvalidInputError(why, { file: name });
}
