/** Keys to be sorted: every type, with the contents on which sorts go wrong. Runs anywhere. */
import type { Keys } from "../../oracle/sort.ts";
import type { Random } from "../../oracle/random.ts";

export const keyTypes = ["u32", "i32", "f32", "u64", "i64", "f64"] as const;
export type KeyName = (typeof keyTypes)[number];

export const constructors = {
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  u64: BigUint64Array,
  i64: BigInt64Array,
  f64: Float64Array,
} as const;

export const keyKinds = ["random", "sorted", "reversed", "equal", "two", "bits", "hard", "narrow"] as const;
export type KeyKind = (typeof keyKinds)[number];

/** The highest words of NaN of both signs, of infinities, of zeros and of the numbers next to them. */
const hard32 = [
  0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff, 0x7f800000, 0xff800000, 0, 0x80000000, 1, 0x80000001,
];
const hard64 = [0x7ff80000, 0xfff80000, 0x7ff00000, 0xfff00000, 0, 0x80000000, 0x3ff00000, 0xffffffff];

/**
 * "bits" sets each bit alone, "hard" draws from NaN with many payloads, infinities and zeros, "narrow" leaves
 * all but a few bits in the middle alike.
 */
export function keysOf(type: KeyName, kind: KeyKind, count: number, random: Random): Keys {
  const wide = type.endsWith("64");
  const words = new Uint32Array(count * (wide ? 2 : 1));
  const keys = new constructors[type](words.buffer);
  const bits = wide ? 64 : 32;
  for (let at = 0; at < count; at++) {
    const own = wide ? words.subarray(2 * at, 2 * at + 2) : words.subarray(at, at + 1);
    const high = own.length - 1;
    if (kind === "random") own.forEach((_, word) => (own[word] = random.bits()));
    else if (kind === "two") own.fill(random.int(0, 2) === 0 ? 7 : 0x80000007);
    else if (kind === "equal") own.fill(0x3f000001);
    else if (kind === "bits") own[(at % bits) >> 5] = 2 ** (at % 32);
    else if (kind === "narrow") own.fill(0x40100000 + (random.int(0, 40) << 9));
    else if (kind === "hard") {
      own[high] = random.pick(wide ? hard64 : hard32);
      if (wide) own[0] = random.pick([0, 0, 1, 0xffffffff, random.bits()]);
    } else {
      const rank = kind === "sorted" ? at : count - at;
      if (type === "u64" || type === "i64") (keys as BigUint64Array)[at] = BigInt(rank) << 29n;
      else keys[at] = type === "f32" || type === "f64" ? rank - count / 3 : rank * 5;
    }
  }
  return keys;
}

/** The words of keys, or of other elements. */
export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** The elements at those places. */
export function pick<A extends ArrayBufferView>(elements: A, places: readonly number[]): A {
  const size = (elements as unknown as { readonly BYTES_PER_ELEMENT: number }).BYTES_PER_ELEMENT;
  const from = new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
  const to = new Uint8Array(places.length * size);
  places.forEach((place, at) => to.set(from.subarray(place * size, (place + 1) * size), at * size));
  return new (elements.constructor as new (buffer: ArrayBuffer) => A)(to.buffer);
}
