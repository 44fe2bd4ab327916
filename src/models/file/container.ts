/**
 * This module reads and writes the container of a model file, which has a JSON header and typed arrays in one
 * piece of bytes, with a version and a checksum. Its form and how it is written are here; reader.ts reads it,
 * header.ts says what the header holds, docs/model-file.md describes all of it. Numbers are little-endian
 * throughout.
 *
 * These stay the same in every version, so that an old program can tell a newer file from a damaged one: the
 * 8 bytes at the start, the version after them, the length of the file at byte 16, and the checksum in the
 * last 4 bytes.
 */
import { roundUp } from "../../core/math.ts";
import type { NumericArray } from "../../core/matrix.ts";
import { crc32 } from "./crc32.ts";
import { toJson } from "./json.ts";

export const VERSION = 1;

/**
 * A file begins with these bytes, made like PNG's: a byte beyond ASCII, the name, and the line ends that
 * careless copies change.
 */
export const MAGIC = Uint8Array.of(0x89, 0x4e, 0x46, 0x4d, 0x0d, 0x0a, 0x1a, 0x0a);

/** The prelude has this many bytes: magic, version, length of the header and length of the file. */
export const PRELUDE_BYTES = 24;
export const CHECKSUM_BYTES = 4;

/** Arrays start at multiples of this, as a Float64Array requires. */
export const ALIGNMENT = 8;

export const kinds = {
  float64: Float64Array,
  float32: Float32Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int8: Int8Array,
  uint8: Uint8Array,
  uint8clamped: Uint8ClampedArray,
} as const;

export type Kind = keyof typeof kinds;

export const kindNames = Object.keys(kinds) as readonly Kind[];

/** An array has its place: `begin` counts bytes from the end of the padded header. */
export interface ArrayPlace {
  readonly kind: Kind;
  readonly begin: number;
  readonly length: number;
}

/** At most so many bytes are handed out at once: between two pieces an abort is noticed. */
const PIECE_BYTES = 2 ** 20;

/** Collects arrays and assigns their places, for the header to mention. */
export class ContainerWriter {
  readonly #arrays: NumericArray[] = [];
  #end = 0;

  place(array: NumericArray): ArrayPlace {
    const begin = this.#end;
    this.#arrays.push(array);
    this.#end = roundUp(begin + array.byteLength, ALIGNMENT);
    return { kind: kindOf(array), begin, length: array.length };
  }

  /** Yields the file from start to end. The arrays are handed out as they are: do not write to the pieces. */
  *pieces(header: object): Generator<Uint8Array> {
    let crc = 0;
    for (const part of this.#parts(header)) {
      for (let begin = 0; begin < part.length; begin += PIECE_BYTES) {
        const piece = part.subarray(begin, begin + PIECE_BYTES);
        crc = crc32(piece, crc);
        yield piece;
      }
    }
    const checksum = new Uint8Array(CHECKSUM_BYTES);
    new DataView(checksum.buffer).setUint32(0, crc, true);
    yield checksum;
  }

  /** Yields all but the checksum. */
  *#parts(header: object): Generator<Uint8Array> {
    const text = new TextEncoder().encode(toJson(header));
    const body = roundUp(PRELUDE_BYTES + text.length, ALIGNMENT);
    const prelude = new Uint8Array(PRELUDE_BYTES);
    const view = new DataView(prelude.buffer);
    prelude.set(MAGIC);
    view.setUint32(8, VERSION, true);
    view.setUint32(12, text.length, true);
    view.setBigUint64(16, BigInt(body + this.#end + CHECKSUM_BYTES), true);
    yield prelude;
    yield text;
    yield new Uint8Array(body - PRELUDE_BYTES - text.length);
    for (const { buffer, byteOffset, byteLength } of this.#arrays) {
      yield new Uint8Array(buffer, byteOffset, byteLength);
      yield new Uint8Array(roundUp(byteLength, ALIGNMENT) - byteLength);
    }
  }
}

function kindOf(array: NumericArray): Kind {
  return kindNames.find((name) => array instanceof kinds[name]) ?? "float64";
}
