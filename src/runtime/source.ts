/**
 * These are buffers by name, and the host data that fills them: the words that plans, kernels and backends
 * share. What is done with them is not here (primitive.ts, backend.ts).
 */
import { assert } from "../core/errors.ts";
import type { Fetch } from "../core/fetchable.ts";

/**
 * A plan asks for such a buffer. Contents are undefined until a step writes them. `bytes` is a multiple of 4.
 */
export interface BufferSpec {
  readonly name: string;
  readonly bytes: number;
}

/**
 * It is a part of a buffer; where a step binds one, its offset is a multiple of PART_ALIGNMENT and it is not
 * empty. Offset and bytes are multiples of 4. One step binds no buffer both for reading and for writing, not
 * even parts that are apart, since WebGPU refuses that.
 */
export interface BufferPart {
  readonly buffer: string;
  readonly offset: number;
  readonly bytes: number;
}

/** It names a whole buffer, or a part of one. */
export type BufferUse = string | BufferPart;

/** Offsets of bound parts are multiples of so many bytes: every WebGPU device can bind such parts. */
export const PART_ALIGNMENT = 256;

/**
 * Asserts that a buffer of `size` bytes has this part, so that every backend refuses what one of them cannot.
 * @param alignment of the offset; default 4, as uploads and downloads have it
 */
export function checkPart(size: number, { buffer, offset, bytes }: BufferPart, alignment = 4): void {
  const fits = offset >= 0 && bytes >= 0 && offset + bytes <= size;
  assert(
    fits && offset % alignment === 0 && bytes % 4 === 0,
    `"${buffer}" of ${size} bytes has no part of ${bytes} bytes at ${offset}, a multiple of ${alignment}`,
  );
}

/** Asserts that a step may bind this part of a buffer of `size` bytes. */
export function checkBoundPart(size: number, part: BufferPart): void {
  assert(part.bytes > 0, `an empty part of "${part.buffer}" cannot be bound`);
  checkPart(size, part, PART_ALIGNMENT);
}

/** These are rows of a host source: a range [begin, end), or row numbers in the order wanted. */
export type RowSet = { readonly begin: number; readonly end: number } | Uint32Array;

/**
 * Host data is prepared while it is uploaded, so that no second copy of the input is needed. A part is one
 * aspect of each row, such as its values or its norms.
 */
export interface HostSource {
  readonly rows: number;
  /** Returns the bytes of one row of this part, a multiple of 4. */
  rowBytes(part: string): number;
  /** Writes those rows, one after the other, into `target`, whose offset in its buffer is a multiple of 4. */
  fill(part: string, rows: RowSet, target: Uint8Array): void;
  /** Has another thread do what `fill` does, in pieces of any size; undefined where none can. */
  fetcher?(part: string, rows: RowSet): Fetch | undefined;
  /**
   * Says that the rows can be fetched and are nowhere in memory, so that they cannot be filled in; only for
   * backends that fetch. It is false by default.
   */
  readonly elsewhere?: boolean;
}

export type Sources = Readonly<Record<string, HostSource>>;

export function rowCount(rows: RowSet): number {
  return "begin" in rows ? rows.end - rows.begin : rows.length;
}

/** Returns rows [begin, end) of a row set, as a row set. */
export function sliceRows(rows: RowSet, begin: number, end: number): RowSet {
  return "begin" in rows ? { begin: rows.begin + begin, end: rows.begin + end } : rows.subarray(begin, end);
}

/** Returns the row number at position `at` of a row set. */
export function rowAt(rows: RowSet, at: number): number {
  return "begin" in rows ? rows.begin + at : rows[at];
}
