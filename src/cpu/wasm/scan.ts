/**
 * `scan` over elements that were copied in, in place. Keys as in reduce.ts. What comes before the first element goes in, and
 * what comes after the last goes out.
 */

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
    sums = i32x4.add(sums, carry);
    v128.store(at, i32x4.sub(sums, v128.and(elements, own)));
    carry = v128.shuffle<i32>(sums, sums, 3, 3, 3, 3);
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

export function scanFloatSums(at: usize, count: i32, exclusive: bool, before: f64): f64 {
  const end = at + <usize>count * 4;
  if (exclusive) {
    for (; at < end; at += 4) {
      const element = <f64>load<f32>(at);
      store<f32>(at, <f32>before);
      before += element;
    }
    return before;
  }
  for (; at < end; at += 4) {
    before += <f64>load<f32>(at);
    store<f32>(at, <f32>before);
  }
  return before;
}

/** Least keys, or largest. */
export function scanKeys(at: usize, count: i32, type: i32, largest: bool, exclusive: bool, before: i32): i32 {
  // The largest key is the complement of the least complement.
  const turn = largest ? -1 : 0;
  before ^= turn;
  const end = at + <usize>count * 4;
  for (; at < end; at += 4) {
    const key = keyOf(load<i32>(at), type, turn);
    const after = min(before, key);
    store<i32>(at, elementOf((exclusive ? before : after) ^ turn, type));
    before = after;
  }
  return before ^ turn;
}

/** The key of bits, complemented with `turn`; NaN has the largest. */
@inline
function keyOf(bits: i32, type: i32, turn: i32): i32 {
  if (type == F32) {
    if ((bits & i32.MAX_VALUE) > 0x7f800000) return i32.MAX_VALUE;
    return bits ^ ((bits >> 31) & i32.MAX_VALUE) ^ turn;
  }
  return (type == U32 ? bits ^ i32.MIN_VALUE : bits) ^ turn;
}

@inline
function elementOf(key: i32, type: i32): i32 {
  if (type == F32) {
    const bits = key ^ ((key >> 31) & i32.MAX_VALUE);
    return (bits & i32.MAX_VALUE) > 0x7f800000 ? 0x7fc00000 : bits;
  }
  return type == U32 ? key ^ i32.MIN_VALUE : key;
}
