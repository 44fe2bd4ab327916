/**
 * This module reduces elements that were copied in. Extremes are signed keys, i32 in the order of the
 * elements: of u32 the bits with the top one flipped, of i32 the bits as they are, of float32 the bits with
 * all but the top one flipped where negative.
 */
import { signedKeyOfBits } from "../../runtime/cpu/wasm/keys";

/** Types have the numbers of runtime/cpu/elements.ts. */
const U32: i32 = 0;
const F32: i32 = 2;

/** A NaN has this key, and so has the least of nothing. */
const NONE: i32 = i32.MAX_VALUE;
const PLUS_INFINITY: i32 = 0x7f800000;
/**
 * The most elements that are added up in float32 before float64 takes over: the bound is in
 * ops/reduce/contract.ts.
 */
const FLOATS: i32 = 1024;

export function sumInts(at: usize, count: i32): i32 {
  let a = i32x4.splat(0);
  let b = a;
  const end = at + <usize>count * 4;
  for (; at + 128 <= end; at += 128) {
    a = i32x4.add(a, i32x4.add(v128.load(at), v128.load(at, 16)));
    b = i32x4.add(b, i32x4.add(v128.load(at, 32), v128.load(at, 48)));
    a = i32x4.add(a, i32x4.add(v128.load(at, 64), v128.load(at, 80)));
    b = i32x4.add(b, i32x4.add(v128.load(at, 96), v128.load(at, 112)));
  }
  for (; at + 16 <= end; at += 16) a = i32x4.add(a, v128.load(at));
  a = i32x4.add(a, b);
  let sum = i32x4.extract_lane(a, 0) + i32x4.extract_lane(a, 1) + i32x4.extract_lane(a, 2) + i32x4.extract_lane(a, 3);
  for (; at < end; at += 4) sum += load<i32>(at);
  return sum;
}

export function sumFloats(at: usize, count: i32): f64 {
  let sum: f64 = 0;
  for (; count >= FLOATS; count -= FLOATS) {
    sum += sumSome(at);
    at += FLOATS * 4;
  }
  for (const end = at + <usize>count * 4; at < end; at += 4) sum += <f64>load<f32>(at);
  return sum;
}

@inline
function sumSome(at: usize): f64 {
  let a = f32x4.splat(0);
  let b = a;
  let c = a;
  let d = a;
  for (const end = at + FLOATS * 4; at < end; at += 128) {
    a = f32x4.add(a, v128.load(at));
    b = f32x4.add(b, v128.load(at, 16));
    c = f32x4.add(c, v128.load(at, 32));
    d = f32x4.add(d, v128.load(at, 48));
    a = f32x4.add(a, v128.load(at, 64));
    b = f32x4.add(b, v128.load(at, 80));
    c = f32x4.add(c, v128.load(at, 96));
    d = f32x4.add(d, v128.load(at, 112));
  }
  a = f32x4.add(f32x4.add(a, b), f32x4.add(c, d));
  const low = <f64>f32x4.extract_lane(a, 0) + <f64>f32x4.extract_lane(a, 1);
  return low + (<f64>f32x4.extract_lane(a, 2) + <f64>f32x4.extract_lane(a, 3));
}

/** Returns the key of the least or the largest element; that of a NaN where all are NaN. */
export function extreme(at: usize, count: i32, type: i32, largest: bool): i32 {
  let key: i32;
  if (type == F32) key = leastFloat(at, count, largest ? i32.MIN_VALUE : 0);
  else key = leastInt(at, count, (type == U32 ? i32.MIN_VALUE : 0) ^ (largest ? -1 : 0));
  return largest ? ~key : key;
}

/** Returns the first element with that key, or -1. */
export function find(at: usize, count: i32, type: i32, key: i32): i32 {
  if (type == F32) return findBits(at, count, signedKeyOfBits(key));
  return findBits(at, count, type == U32 ? key ^ i32.MIN_VALUE : key);
}

/**
 * Reduces `rows` rows of `cols` elements: to a sum of floats as f64, of others as i32, or to a key and with
 * `arg` its first column, eight bytes each from `results` on.
 */
export function sumRows(at: usize, rows: i32, cols: i32, type: i32, results: usize): void {
  for (let row = 0; row < rows; row++) {
    if (type == F32) store<f64>(results, sumFloats(at, cols));
    else store<i32>(results, sumInts(at, cols));
    at += <usize>cols * 4;
    results += 8;
  }
}

export function extremeRows(
  at: usize,
  rows: i32,
  cols: i32,
  type: i32,
  largest: bool,
  arg: bool,
  results: usize,
): void {
  for (let row = 0; row < rows; row++) {
    const key = extreme(at, cols, type, largest);
    store<i32>(results, key);
    if (arg) store<i32>(results, max(find(at, cols, type, key), 0), 4);
    at += <usize>cols * 4;
    results += 8;
  }
}

/** Returns the least key, where `flip` makes keys of elements. */
function leastInt(at: usize, count: i32, flip: i32): i32 {
  const flips = i32x4.splat(flip);
  let a = i32x4.splat(NONE);
  let b = a;
  const end = at + <usize>count * 4;
  for (; at + 64 <= end; at += 64) {
    a = i32x4.min_s(a, v128.xor(v128.load(at), flips));
    b = i32x4.min_s(b, v128.xor(v128.load(at, 16), flips));
    a = i32x4.min_s(a, v128.xor(v128.load(at, 32), flips));
    b = i32x4.min_s(b, v128.xor(v128.load(at, 48), flips));
  }
  a = i32x4.min_s(a, b);
  let least = min(
    min(i32x4.extract_lane(a, 0), i32x4.extract_lane(a, 1)),
    min(i32x4.extract_lane(a, 2), i32x4.extract_lane(a, 3)),
  );
  for (; at < end; at += 4) least = min(least, load<i32>(at) ^ flip);
  return least;
}

/**
 * Returns the least key of the floats, or of their negatives when `sign` is their sign bit. Where the
 * comparison by value leaves open which zero is least, or whether an infinity was there, the elements are
 * read once more.
 */
function leastFloat(at: usize, count: i32, sign: i32): i32 {
  const signs = i32x4.splat(sign);
  let a = f32x4.splat(Infinity);
  let b = a;
  let i = 0;
  for (; i + 16 <= count; i += 16) {
    const here = at + (<usize>i << 2);
    a = f32x4.pmin(a, v128.xor(v128.load(here), signs));
    b = f32x4.pmin(b, v128.xor(v128.load(here, 16), signs));
    a = f32x4.pmin(a, v128.xor(v128.load(here, 32), signs));
    b = f32x4.pmin(b, v128.xor(v128.load(here, 48), signs));
  }
  a = f32x4.pmin(a, b);
  let least = less(f32x4.extract_lane(a, 0), f32x4.extract_lane(a, 1));
  least = less(least, less(f32x4.extract_lane(a, 2), f32x4.extract_lane(a, 3)));
  for (; i < count; i++) least = less(least, reinterpret<f32>(load<i32>(at + (<usize>i << 2)) ^ sign));
  if (least == 0) return findBits(at, count, i32.MIN_VALUE ^ sign) >= 0 ? -1 : 0;
  if (least == Infinity && findBits(at, count, PLUS_INFINITY ^ sign) < 0) return NONE;
  return signedKeyOfBits(reinterpret<i32>(least));
}

@inline
function less(a: f32, b: f32): f32 {
  return b < a ? b : a;
}

function findBits(at: usize, count: i32, bits: i32): i32 {
  const wanted = i32x4.splat(bits);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    if (v128.any_true(i32x4.eq(v128.load(at + (<usize>i << 2)), wanted))) break;
  }
  for (; i < count; i++) if (load<i32>(at + (<usize>i << 2)) == bits) return i;
  return -1;
}
