/**
 * These are keys of numbers on the host: u32 whose order is that of the numbers, as the keys of kernels are
 * (WGSL in runtime/gpu/collectives/keys, AssemblyScript in runtime/cpu/wasm/keys.ts). Floats order as
 * -Infinity ... -0, +0 ... Infinity; a NaN lies outside of them, by its sign, and each operator says where it
 * wants it. Arguments and results are bits.
 */

/** -0, the smaller one of the two zeros, has this key. */
export const KEY_OF_ZERO = 0x7fffffff;

export function keyOfFloat(bits: number): number {
  return (bits & 0x80000000 ? ~bits : bits | 0x80000000) >>> 0;
}

export function floatOfKey(key: number): number {
  return (key & 0x80000000 ? key & 0x7fffffff : ~key) >>> 0;
}

/** Returns the key of an i32, and of a key the i32. */
export function keyOfInt(bits: number): number {
  return (bits ^ 0x80000000) >>> 0;
}

export function isNaNBits(bits: number): boolean {
  return (bits & 0x7fffffff) > 0x7f800000;
}

/** Rounds a float64 to float32 and returns its bits; every NaN has the same. */
export function bitsOfFloat(value: number): number {
  if (Number.isNaN(value)) return 0x7fc00000;
  floats[0] = value;
  return words[0];
}

export function floatOfBits(bits: number): number {
  words[0] = bits;
  return floats[0];
}

const floats = new Float32Array(1);
const words = new Uint32Array(floats.buffer);
