/**
 * These are the values of a Parquet page as they are stored: fixed-width numbers and byte strings, by
 * physical type and encoding. Their meaning (dates, decimals, texts) is types.ts's. Every count is checked
 * against the bytes there are: hyparquet reads values that a page lacks from the bytes behind the page. It
 * gives each text an array of its own, which takes 1.1 times the time to make texts of them, and 1.8 times
 * where they share their beginnings; elsewhere both are as fast (bench/results/files-decoders.md).
 */
import type { Encoding, ParquetType } from "hyparquet";
import { decodeHybrid } from "./bits.ts";
import { decodeDeltas32, decodeDeltas64 } from "./delta.ts";
import { PageError } from "./errors.ts";

export type RawValues =
  | { readonly kind: "numbers"; readonly values: Int32Array | Float32Array | Float64Array }
  | { readonly kind: "longs"; readonly values: BigInt64Array }
  /** Booleans take a byte each. */
  | { readonly kind: "bits"; readonly values: Uint8Array }
  /** Value i is bytes[begins[i]] up to bytes[ends[i]] (exclusive). */
  | {
      readonly kind: "bytes";
      readonly bytes: Uint8Array;
      readonly begins: Uint32Array;
      readonly ends: Uint32Array;
    };

export interface ValueLayout {
  readonly type: ParquetType;
  /** A value of FIXED_LEN_BYTE_ARRAY has this many bytes. */
  readonly width: number;
}

const WIDTHS: Readonly<Partial<Record<ParquetType, number>>> = {
  INT32: 4,
  INT64: 8,
  FLOAT: 4,
  DOUBLE: 8,
  INT96: 12,
};

/**
 * Decodes a page without its levels.
 * @param claim refuses memory that the page's own bytes do not account for
 * @throws PageError for an encoding that the type cannot have, or bytes that are too few.
 */
export function decodeValues(
  bytes: Uint8Array,
  encoding: Encoding | undefined,
  count: number,
  layout: ValueLayout,
  claim: (bytes: number) => void,
): RawValues {
  const { type } = layout;
  if (encoding === "PLAIN") return plainValues(bytes, count, layout);
  if (encoding === "RLE" && type === "BOOLEAN") return runsOfBits(bytes, count);
  if (encoding === "BYTE_STREAM_SPLIT" && type !== "BOOLEAN" && type !== "BYTE_ARRAY" && type !== "INT96")
    return plainValues(joinStreams(bytes, count, layout), count, layout);
  if (encoding === "DELTA_BINARY_PACKED" && type === "INT32")
    return { kind: "numbers", values: decodeDeltas32(bytes, count).values };
  if (encoding === "DELTA_BINARY_PACKED" && type === "INT64")
    return { kind: "longs", values: decodeDeltas64(bytes, count).values };
  if (encoding === "DELTA_LENGTH_BYTE_ARRAY" && type === "BYTE_ARRAY") return deltaLengths(bytes, count);
  if (encoding === "DELTA_BYTE_ARRAY" && (type === "BYTE_ARRAY" || type === "FIXED_LEN_BYTE_ARRAY"))
    return deltaStrings(bytes, count, claim);
  throw new PageError(`the encoding ${String(encoding)} of ${type} is not supported`);
}

function plainValues(bytes: Uint8Array, count: number, layout: ValueLayout): RawValues {
  const { type } = layout;
  if (type === "BYTE_ARRAY") return plainStrings(bytes, count);
  if (type === "BOOLEAN") {
    need(bytes, Math.ceil(count / 8));
    const values = Uint8Array.from({ length: count }, (_, at) => (bytes[at >> 3] >> (at & 7)) & 1);
    return { kind: "bits", values };
  }
  const width = widthOf(layout);
  need(bytes, count * width);
  if (type === "INT96" || type === "FIXED_LEN_BYTE_ARRAY") {
    const begins = Uint32Array.from({ length: count }, (_, at) => at * width);
    return { kind: "bytes", bytes, begins, ends: begins.map((begin) => begin + width) };
  }
  const aligned: Uint8Array = bytes.byteOffset % width === 0 ? bytes : bytes.slice(0, count * width);
  const { buffer, byteOffset } = aligned;
  if (type === "INT64") return { kind: "longs", values: new BigInt64Array(buffer, byteOffset, count) };
  if (type === "INT32") return { kind: "numbers", values: new Int32Array(buffer, byteOffset, count) };
  if (type === "FLOAT") return { kind: "numbers", values: new Float32Array(buffer, byteOffset, count) };
  return { kind: "numbers", values: new Float64Array(buffer, byteOffset, count) };
}

function plainStrings(bytes: Uint8Array, count: number): RawValues {
  need(bytes, 4 * count);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const begins = new Uint32Array(count);
  const ends = new Uint32Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + 4 > bytes.length) throw new PageError("its values end early");
    begins[i] = at + 4;
    at += 4 + view.getUint32(at, true);
    if (at > bytes.length) throw new PageError(`value ${i} is longer than the page`);
    ends[i] = at;
  }
  return { kind: "bytes", bytes, begins, ends };
}

/** Decodes booleans as runs, after the length of the runs. */
function runsOfBits(bytes: Uint8Array, count: number): RawValues {
  need(bytes, 4);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  need(bytes, 4 + length);
  return { kind: "bits", values: Uint8Array.from(decodeHybrid(bytes, 4, 4 + length, 1, count)) };
}

/** Joins streams. Byte b of value i stands at b * count + i. */
function joinStreams(bytes: Uint8Array, count: number, layout: ValueLayout): Uint8Array {
  const width = widthOf(layout);
  need(bytes, count * width);
  const joined = new Uint8Array(count * width);
  for (let byte = 0; byte < width; byte++) {
    for (let i = 0; i < count; i++) joined[i * width + byte] = bytes[byte * count + i];
  }
  return joined;
}

function deltaLengths(bytes: Uint8Array, count: number): RawValues {
  const { values: lengths, end } = decodeDeltas32(bytes, count);
  const begins = new Uint32Array(count);
  const ends = new Uint32Array(count);
  let at = end;
  for (let i = 0; i < count; i++) {
    if (lengths[i] < 0 || lengths[i] > bytes.length - at)
      throw new PageError(`value ${i} is longer than the page`);
    begins[i] = at;
    at += lengths[i];
    ends[i] = at;
  }
  return { kind: "bytes", bytes, begins, ends };
}

/** Decodes strings, each of which shares its first bytes with the one before. */
function deltaStrings(bytes: Uint8Array, count: number, claim: (bytes: number) => void): RawValues {
  const { values: prefixes, end } = decodeDeltas32(bytes, count);
  const suffixes = deltaLengths(bytes.subarray(end), count);
  if (suffixes.kind !== "bytes") throw new PageError("its values are not strings");
  const lengths = prefixes.map((prefix, i) => prefix + suffixes.ends[i] - suffixes.begins[i]);
  let total = 0;
  for (let i = 0; i < count; i++) {
    if (prefixes[i] < 0 || prefixes[i] > (i === 0 ? 0 : lengths[i - 1]))
      throw new PageError(`value ${i} shares more bytes than the value before it has`);
    total += lengths[i];
  }
  claim(BYTES_PER_CHARACTER * total);
  const joined = new Uint8Array(total);
  const begins = new Uint32Array(count);
  const ends = new Uint32Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    begins[i] = at;
    if (i > 0) joined.copyWithin(at, begins[i - 1], begins[i - 1] + prefixes[i]);
    joined.set(suffixes.bytes.subarray(suffixes.begins[i], suffixes.ends[i]), at + prefixes[i]);
    at += lengths[i];
    ends[i] = at;
  }
  return { kind: "bytes", bytes: joined, begins, ends };
}

/**
 * A character takes so many bytes: strings that share their beginnings are joined, and then texts of two
 * bytes per character.
 */
const BYTES_PER_CHARACTER = 3;

function widthOf({ type, width }: ValueLayout): number {
  return WIDTHS[type] ?? width;
}

function need(bytes: Uint8Array, count: number): void {
  if (bytes.length < count) throw new PageError(`its values end early: ${bytes.length} of ${count} bytes`);
}
