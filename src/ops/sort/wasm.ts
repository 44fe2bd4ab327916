/**
 * This module sorts keys that were copied in. Keys keep their bits; what they are ordered by is their
 * ordinal, which each function makes of them: see ops/sort/contract.ts. `low` and `high` are the words of
 * `flips` there; keys of one word take `high`. Nothing here knows how an array is cut.
 */
import { isNaNBits } from "../../runtime/cpu/wasm/keys";

@inline
function narrowOrdinal(at: usize, floats: bool, high: u32): u32 {
  const bits = load<u32>(at);
  if (!floats) return bits ^ high;
  return isNaNBits(bits) ? u32.MAX_VALUE : bits ^ ((<u32>((<i32>bits) >> 31)) | 0x80000000) ^ high;
}

@inline
function wideOrdinal(at: usize, floats: bool, low: u32, high: u32): u64 {
  const bits = load<u64>(at);
  const flip = ((<u64>high) << 32) | <u64>low;
  if (!floats) return bits ^ flip;
  if ((bits & 0x7fffffffffffffff) > 0x7ff0000000000000) return u64.MAX_VALUE;
  return bits ^ ((<u64>((<i64>bits) >> 63)) | 0x8000000000000000) ^ flip;
}

@inline
function ordinalAt(at: usize, wide: bool, floats: bool, low: u32, high: u32): u64 {
  return wide ? wideOrdinal(at, floats, low, high) : <u64>narrowOrdinal(at, floats, high);
}

/**
 * Adds to `result` the bits in which ordinals differ from `first`, which is also there when `begin` is set.
 */
export function sortSpread(
  at: usize,
  count: i32,
  wide: bool,
  floats: bool,
  low: u32,
  high: u32,
  result: usize,
  begin: bool,
): void {
  if (begin) {
    store<u64>(result, ordinalAt(at, wide, floats, low, high));
    store<u64>(result + 8, 0);
  }
  const first = load<u64>(result);
  let spread = load<u64>(result + 8);
  if (wide) {
    for (const end = at + ((<usize>count) << 3); at < end; at += 8)
      spread |= wideOrdinal(at, floats, low, high) ^ first;
  } else {
    const one = <u32>first;
    let some: u32 = 0;
    for (const end = at + ((<usize>count) << 2); at < end; at += 4) some |= narrowOrdinal(at, floats, high) ^ one;
    spread |= <u64>some;
  }
  store<u64>(result + 8, spread);
}

/** Adds to counters how many ordinals have each value of the `bits` bits from `shift` on. */
export function sortCount(
  at: usize,
  count: i32,
  wide: bool,
  floats: bool,
  low: u32,
  high: u32,
  shift: i32,
  bits: i32,
  counters: usize,
): void {
  countDigits(at, count, wide, floats, low, high, shift, bits, counters, false, 0, 0, 0);
}

/** Does so for two digits in one read. */
export function sortCountTwo(
  at: usize,
  count: i32,
  wide: bool,
  floats: bool,
  low: u32,
  high: u32,
  shift: i32,
  bits: i32,
  counters: usize,
  nextShift: i32,
  nextBits: i32,
  nextCounters: usize,
): void {
  countDigits(at, count, wide, floats, low, high, shift, bits, counters, true, nextShift, nextBits, nextCounters);
}

@inline
function countDigits(
  at: usize,
  count: i32,
  wide: bool,
  floats: bool,
  low: u32,
  high: u32,
  shift: i32,
  bits: i32,
  counters: usize,
  two: bool,
  nextShift: i32,
  nextBits: i32,
  nextCounters: usize,
): void {
  const mask: u32 = (1 << bits) - 1;
  const nextMask: u32 = (1 << nextBits) - 1;
  if (wide) {
    for (const end = at + ((<usize>count) << 3); at < end; at += 8) {
      const ordinal = wideOrdinal(at, floats, low, high);
      countUp(counters, <u32>(ordinal >> <u64>shift) & mask);
      if (two) countUp(nextCounters, <u32>(ordinal >> <u64>nextShift) & nextMask);
    }
  } else {
    for (const end = at + ((<usize>count) << 2); at < end; at += 4) {
      const ordinal = narrowOrdinal(at, floats, high);
      countUp(counters, (ordinal >> shift) & mask);
      if (two) countUp(nextCounters, (ordinal >> nextShift) & nextMask);
    }
  }
}

@inline
function countUp(counters: usize, digit: u32): void {
  const counter = counters + ((<usize>digit) << 2);
  store<u32>(counter, load<u32>(counter) + 1);
}

/**
 * Makes places of counters: how many keys come before those of each value of a digit.
 * @returns false when all have the same digit
 */
export function sortPlaces(count: i32, bits: i32, counters: usize): bool {
  let sum: u32 = 0;
  for (const end = counters + (4 << bits); counters < end; counters += 4) {
    const here = load<u32>(counters);
    if (here == <u32>count) return false;
    store<u32>(counters, sum);
    sum += here;
  }
  return true;
}

/**
 * Moves keys, and the words beside them unless `values` is 0, to the places that counters have for each value
 * of a digit, and leaves equal ones in their order. Counters then have the places behind.
 */
export function sortMove(
  at: usize,
  to: usize,
  values: usize,
  toValues: usize,
  count: i32,
  wide: bool,
  floats: bool,
  low: u32,
  high: u32,
  shift: i32,
  bits: i32,
  counters: usize,
): void {
  const mask: u32 = (1 << bits) - 1;
  if (wide) {
    for (let i: i32 = 0; i < count; i++, at += 8) {
      const place = take(counters, <u32>(wideOrdinal(at, floats, low, high) >> <u64>shift) & mask);
      store<u64>(to + (place << 3), load<u64>(at));
      if (values) store<u32>(toValues + (place << 2), load<u32>(values + ((<usize>i) << 2)));
    }
  } else if (values) {
    for (let i: i32 = 0; i < count; i++, at += 4, values += 4) {
      const place = take(counters, (narrowOrdinal(at, floats, high) >> shift) & mask) << 2;
      store<u32>(to + place, load<u32>(at));
      store<u32>(toValues + place, load<u32>(values));
    }
  } else {
    for (const end = at + ((<usize>count) << 2); at < end; at += 4) {
      const place = take(counters, (narrowOrdinal(at, floats, high) >> shift) & mask) << 2;
      store<u32>(to + place, load<u32>(at));
    }
  }
}

@inline
function take(counters: usize, digit: u32): usize {
  const counter = counters + ((<usize>digit) << 2);
  const place = load<u32>(counter);
  store<u32>(counter, place + 1);
  return <usize>place;
}

/** Sorts a few keys by insertion, by the bits of their ordinals in `maskLow` and `maskHigh`. */
export function sortFew(
  at: usize,
  values: usize,
  count: i32,
  wide: bool,
  floats: bool,
  low: u32,
  high: u32,
  maskLow: u32,
  maskHigh: u32,
): void {
  const mask = ((<u64>maskHigh) << 32) | <u64>maskLow;
  const step: usize = wide ? 8 : 4;
  for (let i: i32 = 1; i < count; i++) {
    const from = at + <usize>i * step;
    const own = ordinalAt(from, wide, floats, low, high) & mask;
    const key = wide ? load<u64>(from) : <u64>load<u32>(from);
    const value = values ? load<u32>(values + ((<usize>i) << 2)) : 0;
    let place = i;
    for (; place > 0; place--) {
      const before = at + <usize>(place - 1) * step;
      if ((ordinalAt(before, wide, floats, low, high) & mask) <= own) break;
      if (wide) store<u64>(before + 8, load<u64>(before));
      else store<u32>(before + 4, load<u32>(before));
      if (values) {
        const moved = values + ((<usize>place) << 2);
        store<u32>(moved, load<u32>(moved - 4));
      }
    }
    if (place == i) continue;
    if (wide) store<u64>(at + <usize>place * 8, key);
    else store<u32>(at + <usize>place * 4, <u32>key);
    if (values) store<u32>(values + ((<usize>place) << 2), value);
  }
}
