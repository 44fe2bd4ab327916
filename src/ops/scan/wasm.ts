/**
 * This module scans elements that were copied in, in place. Keys are those of ops/reduce/wasm.ts. Each
 * function takes the value before the first element, and returns the one after the last.
 */
import { areNaN, signedKeysOfBits } from "../../runtime/cpu/wasm/keys";

const U32: i32 = 0;
const F32: i32 = 2;

export function scanIntSums(at: usize, count: i32, exclusive: bool, before: i32): i32 {
  const end = at + <usize>count * 4;
  const zero = i32x4.splat(0);
  const own = exclusive ? i32x4.splat(-1) : zero;
  let carry = i32x4.splat(before);
  for (; at + 16 <= end; at += 16) {
    const elements = v128.load(at);
    let sums = i32x4.add(elements, v128.shuffle<i32>(elements, zero, 4, 0, 1, 2));
    sums = i32x4.add(sums, v128.shuffle<i32>(sums, zero, 4, 4, 0, 1));
    v128.store(at, i32x4.sub(i32x4.add(sums, carry), v128.and(elements, own)));
    // The total is not read from the sums just stored: every vector would then wait for two instructions of
    // the one before.
    carry = i32x4.add(carry, v128.shuffle<i32>(sums, sums, 3, 3, 3, 3));
  }
  before = i32x4.extract_lane(carry, 0);
  for (; at < end; at += 4) {
    const element = load<i32>(at);
    const after = before + element;
    store<i32>(at, exclusive ? before : after);
    before = after;
  }
  return before;
}

/** Returns the sum of `sum` and the elements, in their order. */
export function addFloats(at: usize, count: i32, sum: f64): f64 {
  for (const end = at + <usize>count * 4; at < end; at += 4) sum += <f64>load<f32>(at);
  return sum;
}

/** Writes the sums up to each element, added to `before`. @returns the sum of `sum` and all elements */
export function scanFloatSums(at: usize, count: i32, exclusive: bool, before: f64, sum: f64): f64 {
  const end = at + <usize>count * 4;
  if (exclusive) {
    for (; at < end; at += 4) {
      const element = <f64>load<f32>(at);
      store<f32>(at, rounded(before + sum));
      sum += element;
    }
    return sum;
  }
  for (; at < end; at += 4) {
    sum += <f64>load<f32>(at);
    store<f32>(at, rounded(before + sum));
  }
  return sum;
}

/** Converts to float32 with one NaN only: which of two a sum of them keeps is the processor's choice. */
@inline
function rounded(value: f64): f32 {
  return value == value ? <f32>value : f32.NaN;
}

/** Scans for the least keys, or the largest. */
export function scanKeys(at: usize, count: i32, type: i32, largest: bool, exclusive: bool, before: i32): i32 {
  // The largest key is the complement of the least complement.
  const turn = largest ? -1 : 0;
  const turns = i32x4.splat(turn);
  const nothing = i32x4.splat(i32.MAX_VALUE);
  before ^= turn;
  let last = i32x4.splat(before);
  const end = at + <usize>count * 4;
  for (; at + 16 <= end; at += 16) {
    let keys = keysOf(v128.load(at), type, turns);
    keys = i32x4.min_s(keys, v128.shuffle<i32>(keys, nothing, 4, 0, 1, 2));
    keys = i32x4.min_s(keys, v128.shuffle<i32>(keys, nothing, 4, 4, 0, 1));
    keys = i32x4.min_s(keys, last);
    const wanted = exclusive ? v128.shuffle<i32>(last, keys, 3, 4, 5, 6) : keys;
    v128.store(at, elementsOf(v128.xor(wanted, turns), type));
    last = v128.shuffle<i32>(keys, keys, 3, 3, 3, 3);
  }
  before = i32x4.extract_lane(last, 0);
  for (; at < end; at += 4) {
    const key = i32x4.extract_lane(keysOf(v128.load32_splat(at), type, turns), 0);
    const after = min(before, key);
    const wanted = (exclusive ? before : after) ^ turn;
    store<i32>(at, i32x4.extract_lane(elementsOf(i32x4.splat(wanted), type), 0));
    before = after;
  }
  return before ^ turn;
}

/** Returns the keys of bits, complemented with `turns`; NaN has the largest. */
@inline
function keysOf(bits: v128, type: i32, turns: v128): v128 {
  if (type == F32) {
    const keys = v128.xor(signedKeysOfBits(bits), turns);
    return v128.bitselect(i32x4.splat(i32.MAX_VALUE), keys, areNaN(bits));
  }
  return v128.xor(type == U32 ? v128.xor(bits, i32x4.splat(i32.MIN_VALUE)) : bits, turns);
}

@inline
function elementsOf(keys: v128, type: i32): v128 {
  if (type == F32) {
    const bits = signedKeysOfBits(keys);
    return v128.bitselect(i32x4.splat(0x7fc00000), bits, areNaN(bits));
  }
  return type == U32 ? v128.xor(keys, i32x4.splat(i32.MIN_VALUE)) : keys;
}
