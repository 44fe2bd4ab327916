/** This module has memory for bytes that arrive in pieces. Where they come from is source.ts. */
import { OutOfMemoryError } from "../../core/errors.ts";

/**
 * Allocates bytes.
 * @param name whose bytes they are
 * @throws OutOfMemoryError where the runtime has no array of that length.
 */
export function allocate(length: number, name: string): Uint8Array<ArrayBuffer> {
  return allocated(length, name, () => new Uint8Array(length));
}

/**
 * Allocates `length` bytes of undefined contents, from their buffer's start: of a spare buffer of that many,
 * which is taken out, or new ones.
 */
export function allocateOrReuse(
  length: number,
  name: string,
  spare: ArrayBuffer[] = [],
): Uint8Array<ArrayBuffer> {
  const at = spare.findIndex(({ byteLength }) => byteLength === length);
  return at < 0 ? allocate(length, name) : new Uint8Array(spare.splice(at, 1)[0]);
}

/**
 * Gives what `make` makes of so many bytes.
 * @throws OutOfMemoryError where it asks for an array that the runtime does not have.
 */
export function allocated<T>(bytes: number, name: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new OutOfMemoryError(
      `${name}: ${bytes} bytes are too many to hold at once; split the file, or read it in chunks (openTable, openMatrix)`,
      bytes,
      cause,
    );
  }
}

/** Joins the pieces one after the other, in memory of their own. */
export function joinPieces(pieces: readonly Uint8Array[], name: string): Uint8Array<ArrayBuffer> {
  const bytes = allocate(
    pieces.reduce((sum, { length }) => sum + length, 0),
    name,
  );
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
