/**
 * This is the contract of the primitive `sort`, which puts keys in ascending or descending order, alone or
 * with a word that each carries. The operators on arrays are in ops/sort/sort.ts; ops/sort/gpu.ts and
 * ops/sort/cpu/sort.ts compute it.
 */
import type { ElementArray, ElementType } from "../../runtime/element.ts";

/**
 * A key has the type of an element, or one of 64 bits, which lies as two words, the low one first.
 * @example
 * const bitsOf = (type: KeyType) => (type.endsWith("64") ? 64 : 32);
 * bitsOf("f64"); // => 64
 */
export type KeyType = ElementType | "u64" | "i64" | "f64";

/**
 * The host has keys in one of these.
 * @example
 * const lowest = async (keys: KeyArray) => (await sort(keys))[0];
 * await lowest(BigInt64Array.of(1n, -2n)); // => -2n
 * await lowest(Float64Array.of(0.5, NaN)); // => 0.5
 */
export type KeyArray = ElementArray | BigUint64Array | BigInt64Array | Float64Array;

export const keyTypes: readonly KeyType[] = ["u32", "i32", "f32", "u64", "i64", "f64"];

/**
 * Keys carry no values ("none"), those of `values` ("given"), or each its index in its row ("indices").
 * @example
 * const values: SortValues = "indices";
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * (await primitives.sort({ type: "u32", count: 6, values })).bytes.sortedValues; // => 32
 */
export type SortValues = "none" | "given" | "indices";
export const sortValues: readonly SortValues[] = ["none", "given", "indices"];

/**
 * `sort` writes the keys of every row to the same row of `sortedKeys`, ascending or descending, and to
 * `sortedValues` what each carries. Keys keep their bits. The order is that of the numbers: floats are
 * -Infinity ... -0, +0 ... Infinity, descending the reverse of it, and every NaN comes last in both
 * directions, whatever its sign. Equal keys, which all NaN are, stay in their order.
 *
 * Only bits [beginBit, endBit) of a key's ordinal count: the whole number whose order is that of the keys, so
 * that 0 is the first key there can be; all of its bits are ones for NaN. The ordinal of a descending sort is
 * the complement of the ascending one, except for NaN.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params = {
 *   type: "u64", count: 10, rows: 2, values: "given", descending: true, beginBit: 0, endBit: 40,
 * } as const satisfies SortParams;
 * const { keys, values } = (await primitives.sort(params)).bytes;
 * [keys, values]; // => [80, 48]
 */
export interface SortParams {
  readonly type: KeyType;
  /** All rows together have this many keys. */
  readonly count: number;
  /** The `count` keys are divided into this many rows of equal length. */
  readonly rows: number;
  readonly values: SortValues;
  readonly descending: boolean;
  readonly beginBit: number;
  readonly endBit: number;
  /**
   * Row r of unequal rows is keys [offsets[r], offsets[r + 1]); offsets ascend from 0 to `count`, and `rows`
   * is one less than their number. By default rows have equal length.
   */
  readonly offsets?: Uint32Array | undefined;
}

/**
 * keys          [count]
 * values        u32 [count], where they are given
 * sortedKeys    [count], not the buffer of keys
 * sortedValues  u32 [count], where keys carry words, not the buffer of values
 * offsets       u32 [rows + 1], where params have them
 * scratch       what the kernel's bytes say; only a GPU needs it and those below
 * scratchKeys   [count], where a row does not fit a workgroup
 * scratchValues u32 [count], there too, where keys carry words
 *
 * Buffers of keys and values hold whole groups of 16 bytes; what lies past the count is neither used nor
 * changed.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const { bytes } = await primitives.sort({ type: "f32", count: 5 });
 * const written: SortBinding = "sortedKeys";
 * [bytes.keys, bytes[written]]; // => [32, 32]
 */
export type SortBinding =
  "keys" | "values" | "sortedKeys" | "sortedValues" | "offsets" | "scratch" | "scratchKeys" | "scratchValues";

/** Returns the words of a key. */
export function keyWords(type: KeyType): 1 | 2 {
  return type.endsWith("64") ? 2 : 1;
}

export function isFloat(type: KeyType): boolean {
  return type.startsWith("f");
}

/** Returns the bytes of a buffer of so many keys, or of words, `keyWords` being 1. */
export function keyBytes(count: number, words: 1 | 2 = 1): number {
  return Math.ceil((count * words) / 4) * 16;
}

/** A digit of ordinals is `bits` bits of one of their words, from `shift` on. */
export interface Digit {
  /** The word has this number, 0 for the low one. */
  readonly word: number;
  readonly shift: number;
  readonly bits: number;
}

/** Cuts bits [begin, end) into digits of at most `most` bits, the lowest first; none spans two words. */
export function cutDigits(begin: number, end: number, most: number): Digit[] {
  const digits: Digit[] = [];
  for (const word of [0, 1]) {
    const [from, to] = [Math.max(begin - 32 * word, 0), Math.min(end - 32 * word, 32)];
    const parts = Math.ceil((to - from) / most);
    for (let part = 0, at = from; part < parts; part++) {
      const bits = Math.ceil((to - at) / (parts - part));
      digits.push({ word, shift: at, bits });
      at += bits;
    }
  }
  return digits;
}

/** Returns the bits [begin, end) of the two words of an ordinal. */
export function maskOf(begin: number, end: number): readonly [low: number, high: number] {
  const below = (bits: number) => (bits <= 0 ? 0 : bits >= 32 ? 0xffffffff : 2 ** bits - 1);
  return [(below(end) & ~below(begin)) >>> 0, (below(end - 32) & ~below(begin - 32)) >>> 0];
}

/**
 * Returns what the words of ordinals differ in from those of keys of that type: all bits of a descending
 * order, and the sign of whole numbers that have one; floats also in what follows from their sign.
 */
export function flips({ type, descending }: Pick<SortParams, "type" | "descending">): {
  readonly low: number;
  readonly high: number;
} {
  const turn = descending ? 0xffffffff : 0;
  const sign = type.startsWith("i") ? 0x80000000 : 0;
  const high = (turn ^ sign) >>> 0;
  return { low: keyWords(type) === 1 ? high : turn, high };
}

/** Returns where a row begins; offsets may be those of a part of an array, from its first row on. */
export function rowBegin({ count, rows, offsets }: SortParams, row: number): number {
  return offsets ? offsets[row] - offsets[0] : (count / rows) * row;
}

/** Keys of a sort on a GPU at most: a tile leaves counts of 30 bits. */
export const MAX_SORTED = 2 ** 30 - 1;
