/**
 * This module says how much memory a source may make its reader take. A few bytes can claim a great deal: one
 * run of a page, one new key per line, gzip. Such claims are held against a limit before memory is taken for
 * them: the caller's, or what the source's own bytes justify where that is more.
 */

/** It tells the size of a source, as far as that is known before it is read. */
export interface Sized {
  readonly byteLength?: number;
  readonly packedLength?: number;
}

export const DEFAULT_BYTES = 2 ** 30;

/**
 * One byte of a file justifies so many bytes of memory. A cell of CSV of two bytes takes up to 21,
 * flights-3m.parquet as a table 7.1 times its own, and gzip packs text three to ten times.
 */
const BYTES_PER_BYTE = 64;

/**
 * Returns the bytes that a source is allowed. A source whose size is unknown, such as a pipe, may never end:
 * it is allowed `memory` alone.
 */
export function allowedBytes({ byteLength, packedLength }: Sized, memory = DEFAULT_BYTES): number {
  return Math.max(memory, BYTES_PER_BYTE * (byteLength ?? packedLength ?? 0));
}
