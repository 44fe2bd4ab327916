/**
 * These are keys of numbers in WASM: whole numbers whose order is that of the numbers, as the keys of kernels
 * are (WGSL in runtime/gpu/collectives/keys, TypeScript in core/float/keys.ts). Floats order as -Infinity ...
 * -0, +0 ... Infinity; a NaN lies outside of them, by its sign. A signed key is a key with the top bit
 * flipped, since i32 compare faster.
 */

@inline
export function keyOfBits(bits: u32): u32 {
  return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

@inline
export function floatOfKey(key: u32): f32 {
  return reinterpret<f32>(key & 0x80000000 ? key & 0x7fffffff : ~key);
}

/** Returns the key of a value: -0 has that of +0, and every NaN the last. */
@inline
export function keyOfValue(x: f32): u32 {
  return x != x ? 0xffffffff : keyOfBits(reinterpret<u32>(x + 0));
}

@inline
export function keysOfBits(bits: v128): v128 {
  return v128.xor(bits, v128.or(i32x4.shr_s(bits, 31), i32x4.splat(0x80000000)));
}

/** Returns the signed key of bits, and of a signed key the bits. */
@inline
export function signedKeyOfBits(bits: i32): i32 {
  return bits ^ ((bits >> 31) & i32.MAX_VALUE);
}

/** Returns the signed keys of bits, and of signed keys the bits. */
@inline
export function signedKeysOfBits(bits: v128): v128 {
  return v128.xor(bits, v128.and(i32x4.shr_s(bits, 31), i32x4.splat(i32.MAX_VALUE)));
}

@inline
export function isNaNBits(bits: u32): bool {
  return (bits & 0x7fffffff) > 0x7f800000;
}

@inline
export function areNaN(bits: v128): v128 {
  return i32x4.gt_s(v128.and(bits, i32x4.splat(i32.MAX_VALUE)), i32x4.splat(0x7f800000));
}
