/**
 * This module has numbers as files hold them: it turns bytes of either byte order into typed arrays of the
 * same numbers. A number that float64 cannot hold exactly is refused. Which types a format knows, and how it
 * names them, is the format's matter.
 */
import { assert } from "../core/errors.ts";
import type { NumericArray } from "../core/matrix.ts";

/** The names are numpy's: signed, unsigned, float or boolean, and the number of bytes. */
export type ElementKind = keyof typeof plainArrays | "f2" | "i8" | "u8" | "b1";

/** Makes the error for element `index`, whose value is the problem. */
export type Refuse = (index: number, problem: string) => Error;

export interface FileElementType {
  readonly bytes: number;
  /** Decoding leaves the bytes as they are. */
  readonly verbatim: boolean;
  /**
   * @param bytes whole elements, begun at their buffer's start, which are given away: they are changed, and
   *   the result may be a view on them
   */
  decode(bytes: Uint8Array<ArrayBuffer>, refuse: Refuse): NumericArray;
}

const plainArrays = {
  f4: Float32Array,
  f8: Float64Array,
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
} as const;

/** Files hold arrays of these types. */
export type FileArray = NumericArray | BigInt64Array | BigUint64Array;

const wideArrays = { i8: BigInt64Array, u8: BigUint64Array } as const;

/**
 * Returns how elements of a kind are decoded: 64-bit integers become float64, booleans unsigned bytes, half
 * floats float32.
 * @param wide 64-bit integers stay what they are; the result of `decode` is then any FileArray
 */
export function elementType(kind: ElementKind, order: "little" | "big", wide = false): FileElementType {
  const size = Number(kind.slice(1));
  const swapped = order !== hostOrder();
  return {
    bytes: size,
    verbatim: !swapped && kind in plainArrays,
    decode(bytes, refuse) {
      if (swapped) swap(bytes, size);
      if (!wide || (kind !== "i8" && kind !== "u8")) return decoded(kind, bytes, refuse);
      return new wideArrays[kind](bytes.buffer, 0, bytes.length / 8) as unknown as NumericArray;
    },
  };
}

/** Returns the kind of a typed array's elements. */
export function kindOf(data: FileArray): keyof typeof plainArrays | keyof typeof wideArrays {
  if (data instanceof Uint8ClampedArray) return "u1";
  const arrays = { ...plainArrays, ...wideArrays };
  const kinds = Object.keys(arrays) as (keyof typeof arrays)[];
  const kind = kinds.find((each) => data instanceof arrays[each]);
  assert(kind !== undefined, "the array's type is none of a matrix");
  return kind;
}

/**
 * Returns the bytes of a typed array in little-endian order: a view on a little-endian machine, so do not
 * write to it.
 */
export function littleEndian(data: FileArray): Uint8Array<ArrayBuffer> {
  return inOrder(data, "little");
}

/**
 * Returns the bytes of a typed array in that order: a view where it is the machine's, so do not write to it.
 */
export function inOrder(
  { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT }: FileArray,
  order: "little" | "big",
): Uint8Array<ArrayBuffer> {
  const bytes =
    buffer instanceof ArrayBuffer
      ? new Uint8Array(buffer, byteOffset, byteLength)
      : new Uint8Array(buffer, byteOffset, byteLength).slice(); // Blob and others refuse shared memory
  if (hostOrder() === order || BYTES_PER_ELEMENT === 1) return bytes;
  const swapped = bytes.slice();
  swap(swapped, BYTES_PER_ELEMENT);
  return swapped;
}

export function hostOrder(): "little" | "big" {
  return new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? "little" : "big";
}

/** Turns the bytes of each element round, in place. */
function swap(bytes: Uint8Array<ArrayBuffer>, size: number): void {
  if (size === 2) {
    const halves = new Uint16Array(bytes.buffer, 0, bytes.length / 2);
    for (let at = 0; at < halves.length; at++) halves[at] = (halves[at] << 8) | (halves[at] >>> 8);
    return;
  }
  if (size === 1) return;
  const words = new Uint32Array(bytes.buffer, 0, bytes.length / 4);
  for (let at = 0; at < words.length; at++) words[at] = swappedWord(words[at]);
  if (size === 4) return;
  for (let at = 0; at < words.length; at += 2) [words[at], words[at + 1]] = [words[at + 1], words[at]];
}

function decoded(kind: ElementKind, bytes: Uint8Array<ArrayBuffer>, refuse: Refuse): NumericArray {
  switch (kind) {
    case "f2":
      return halvesToFloat32(new Uint16Array(bytes.buffer, 0, bytes.length / 2));
    case "i8":
    case "u8":
      return wideToFloat64(bytes, kind === "i8", refuse);
    case "b1":
      return checkedBooleans(bytes, refuse);
    default: {
      const Type = plainArrays[kind];
      return new Type(bytes.buffer, 0, bytes.length / Type.BYTES_PER_ELEMENT);
    }
  }
}

function swappedWord(word: number): number {
  return (word >>> 24) | ((word >>> 8) & 0xff00) | ((word << 8) & 0xff0000) | (word << 24);
}

/** Decodes IEEE 754 binary16: 1 sign, 5 exponent (bias 15) and 10 fraction bits. Every value is a float32. */
function halvesToFloat32(halves: Uint16Array): Float32Array {
  const values = new Float32Array(halves.length);
  const bits = new Uint32Array(values.buffer);
  for (let at = 0; at < halves.length; at++) {
    const half = halves[at];
    const sign = (half & 0x8000) << 16;
    const exponent = (half >>> 10) & 31;
    const fraction = half & 0x3ff;
    if (exponent === 0) values[at] = (sign === 0 ? fraction : -fraction) * 2 ** -24;
    else bits[at] = sign | ((exponent === 31 ? 255 : exponent + 112) << 23) | (fraction << 13);
  }
  return values;
}

/** Decodes in place: a float64 takes the bytes of its integer. */
function wideToFloat64(bytes: Uint8Array<ArrayBuffer>, signed: boolean, refuse: Refuse): Float64Array {
  const values = new Float64Array(bytes.buffer, 0, bytes.length / 8);
  const words = new Uint32Array(bytes.buffer, 0, bytes.length / 4);
  const [lowWord, highWord] = hostOrder() === "little" ? [0, 1] : [1, 0];
  for (let at = 0; at < values.length; at++) {
    const low = words[2 * at + lowWord];
    const high = signed ? words[2 * at + highWord] | 0 : words[2 * at + highWord];
    // Within [-2^53, 2^53): 21 bits and the sign above the low word. 2^53 itself is the one value more.
    const exact = (high >= -(2 ** 21) && high < 2 ** 21) || (high === 2 ** 21 && low === 0);
    if (!exact) {
      const value = BigInt(high) * 2n ** 32n + BigInt(low);
      throw refuse(
        at,
        `is ${value}, beyond 2^53, where float64 is no longer exact; rescale it or use it as text`,
      );
    }
    values[at] = high * 2 ** 32 + low;
  }
  return values;
}

function checkedBooleans(bytes: Uint8Array<ArrayBuffer>, refuse: Refuse): Uint8Array {
  const bad = bytes.findIndex((value) => value > 1);
  if (bad >= 0) throw refuse(bad, `is the byte ${bytes[bad]}; a boolean is 0 or 1`);
  return bytes;
}
