/**
 * IDX, the format of the MNIST files: two zero bytes, an element type, the number of dimensions, each dimension as 32 bits,
 * then the elements with the last dimension innermost; everything big-endian. Sizes are checked against the file.
 */
import { InvalidInputError } from "../core/errors.ts";
import type { Matrix, NumericArray } from "../core/matrix.ts";
import { readBytes, type ByteSource } from "./source.ts";

export interface IdxArray {
  readonly dims: readonly number[];
  /** Row-major. Bytes may be a view on the source's own memory: do not write to them. */
  readonly data: NumericArray;
}

interface ElementType {
  readonly bytes: number;
  read(view: DataView, begin: number, length: number): NumericArray;
}

const TYPES: Readonly<Record<number, ElementType>> = {
  0x08: { bytes: 1, read: ({ buffer, byteOffset }, at, n) => new Uint8Array(buffer, byteOffset + at, n) },
  0x09: { bytes: 1, read: ({ buffer, byteOffset }, at, n) => new Int8Array(buffer, byteOffset + at, n) },
  0x0b: {
    bytes: 2,
    read: (view, at, n) => Int16Array.from({ length: n }, (_, i) => view.getInt16(at + 2 * i)),
  },
  0x0c: {
    bytes: 4,
    read: (view, at, n) => Int32Array.from({ length: n }, (_, i) => view.getInt32(at + 4 * i)),
  },
  0x0d: {
    bytes: 4,
    read: (view, at, n) => Float32Array.from({ length: n }, (_, i) => view.getFloat32(at + 4 * i)),
  },
  0x0e: {
    bytes: 8,
    read: (view, at, n) => Float64Array.from({ length: n }, (_, i) => view.getFloat64(at + 8 * i)),
  },
};

/** @throws InvalidInputError naming the byte (from 0) where the file is not what it says. */
export async function readIdx(source: ByteSource): Promise<IdxArray> {
  const bytes = await readBytes(source);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const fail = (byte: number, message: string) =>
    new InvalidInputError(`byte ${byte}: ${message}`, { file: source.name });

  if (bytes.length < 4)
    throw fail(bytes.length, "the file ends here, within the 4 bytes that say what it holds");
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    throw fail(0, "the file is compressed with gzip; unpack it first");
  if (view.getUint16(0) !== 0) {
    throw fail(0, `found ${hex(view.getUint32(0))}; an IDX file starts with two zero bytes`);
  }
  const type = TYPES[bytes[2]];
  if (type === undefined) {
    throw fail(
      2,
      `the element type is ${hex(bytes[2])}; expected ${Object.keys(TYPES).map(Number).map(hex).join(", ")}`,
    );
  }
  const rank = bytes[3];
  if (rank === 0) throw fail(3, "there are no dimensions; expected at least one");

  const begin = 4 + 4 * rank;
  if (bytes.length < begin) throw fail(bytes.length, `the file ends here, within its ${rank} dimensions`);
  const dims = Array.from({ length: rank }, (_, axis) => {
    const size = view.getInt32(4 + 4 * axis);
    if (size < 1) throw fail(4 + 4 * axis, `dimension ${axis} is ${size}; expected at least 1`);
    return size;
  });
  const length = dims.reduce((product, size) => product * size, 1);
  const end = begin + length * type.bytes;
  const shape = `${dims.join(" x ")} elements of ${type.bytes} bytes`;
  if (bytes.length < end)
    throw fail(bytes.length, `the file ends here, but ${shape} need ${end} bytes; it is truncated`);
  if (bytes.length > end) throw fail(end, `${shape} end here, but ${bytes.length - end} more bytes follow`);
  return { dims, data: type.read(view, begin, length) };
}

/** The first dimension as rows, the rest flattened into columns: images become rows of pixels. */
export async function readIdxMatrix(source: ByteSource): Promise<Matrix> {
  const { dims, data } = await readIdx(source);
  const rows = dims[0];
  return { data, rows, cols: data.length / rows };
}

/** One byte per row. */
export async function readIdxLabels(source: ByteSource): Promise<Uint8Array> {
  const { dims, data } = await readIdx(source);
  if (dims.length === 1 && data instanceof Uint8Array) return data;
  throw new InvalidInputError(
    `holds ${dims.join(" x ")} elements of ${data.constructor.name}; labels are one dimension of unsigned bytes`,
    { file: source.name },
  );
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(2, "0")}`;
}
