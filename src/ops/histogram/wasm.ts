/**
 * This module counts elements that were copied in, by the keys and guides of ops/histogram/bins.ts: four at a
 * time where no edge is near any of them, else one after the other. Every bin has four counters, one for each
 * lane, so that consecutive elements that share a bin do not wait for each other.
 */

import { floatOfKey, isNaNBits, keyOfBits, keysOfBits } from "../../runtime/cpu/wasm/keys";

/** Types have the numbers of runtime/cpu/elements.ts. */
const I32: i32 = 1;
const F32: i32 = 2;

/** Ranges have the verdicts of ops/histogram/bins.ts. */
const ALL_BELOW: i32 = 1;
const ALL_ABOVE: i32 = 2;

/** This is one row of `ranges`, as in ops/histogram/bins.ts. */
@unmanaged
class RangeRow {
  low: u32;
  high: u32;
  reach: u32;
  verdict: i32;
  guard: f32;
  base: f32;
  scale: f32;
}

/** Adds elements to `counters`, u32 [bins][4], and to `outside`: below, above, NaN. */
export function countGuided(
  at: usize,
  count: i32,
  type: i32,
  range: RangeRow,
  edges: usize,
  counters: usize,
  outside: usize,
): void {
  if (type == F32) countFloats(at, count, range, edges, counters, outside);
  else countWhole(at, count, type, range, edges, counters, outside);
}

function countFloats(
  at: usize,
  count: i32,
  range: RangeRow,
  edges: usize,
  counters: usize,
  outside: usize,
): void {
  const low = f32x4.splat(floatOfKey(range.low));
  const high = f32x4.splat(floatOfKey(range.high));
  const base = f32x4.splat(range.base);
  const scale = f32x4.splat(range.scale);
  const least = f32x4.splat(range.guard);
  const most = f32x4.splat(1 - range.guard);
  const end = at + (<usize>count << 2);
  for (; at + 16 <= end; at += 16) {
    const values = v128.load(at);
    const places = f32x4.mul(f32x4.sub(values, base), scale);
    const bins = i32x4.trunc_sat_f32x4_s(places);
    const parts = f32x4.sub(places, f32x4.convert_i32x4_s(bins));
    const inside = v128.and(f32x4.ge(values, low), f32x4.le(values, high));
    const clear = v128.and(f32x4.ge(parts, least), f32x4.le(parts, most));
    if (i32x4.all_true(v128.and(inside, clear))) countFour(bins, counters);
    else if (i32x4.all_true(inside)) binFour(places, keysOfBits(values), range, edges, counters);
    else for (let i: usize = 0; i < 16; i += 4) countFloat(load<u32>(at + i), range, edges, counters, outside);
  }
  for (; at < end; at += 4) countFloat(load<u32>(at), range, edges, counters, outside);
}

function countWhole(
  at: usize,
  count: i32,
  type: i32,
  range: RangeRow,
  edges: usize,
  counters: usize,
  outside: usize,
): void {
  // Keys with the top bit flipped compare as signed numbers.
  const flip: u32 = type == I32 ? 0x80000000 : 0;
  const flips = i32x4.splat(flip ^ 0x80000000);
  const tops = i32x4.splat(0x80000000);
  const low = i32x4.splat(range.low ^ 0x80000000);
  const high = i32x4.splat(range.high ^ 0x80000000);
  const base = f32x4.splat(range.base);
  const scale = f32x4.splat(range.scale);
  const least = f32x4.splat(range.guard);
  const most = f32x4.splat(1 - range.guard);
  const end = at + (<usize>count << 2);
  for (; at + 16 <= end; at += 16) {
    const keys = v128.xor(v128.load(at), flips);
    const above = f32x4.convert_i32x4_u(i32x4.sub(keys, low));
    const places = f32x4.add(f32x4.mul(above, scale), base);
    const bins = i32x4.trunc_sat_f32x4_s(places);
    const parts = f32x4.sub(places, f32x4.convert_i32x4_s(bins));
    const inside = v128.and(i32x4.ge_s(keys, low), i32x4.le_s(keys, high));
    const clear = v128.and(f32x4.ge(parts, least), f32x4.le(parts, most));
    if (i32x4.all_true(v128.and(inside, clear))) countFour(bins, counters);
    else if (i32x4.all_true(inside)) binFour(places, v128.xor(keys, tops), range, edges, counters);
    else for (let i: usize = 0; i < 16; i += 4) countKey(load<u32>(at + i) ^ flip, range, edges, counters, outside);
  }
  for (; at < end; at += 4) countKey(load<u32>(at) ^ flip, range, edges, counters, outside);
}

/** Counts the same by a search of all edges, where there is no guide. */
export function countSearched(
  at: usize,
  count: i32,
  type: i32,
  range: RangeRow,
  edges: usize,
  counters: usize,
  outside: usize,
): void {
  const flip: u32 = type == I32 ? 0x80000000 : 0;
  for (const end = at + (<usize>count << 2); at < end; at += 4) {
    const bits = load<u32>(at);
    const key = type == F32 ? keyOfBits(bits) : bits ^ flip;
    if (type == F32 && isNaNBits(bits)) increment(outside + 8);
    else if (key < range.low || key > range.high) miss(key, range, outside);
    else increment(counters + (<usize>search(key, range, edges) << 4));
  }
}

/** Adds up the four counters of each bin, and leaves the sums in the first words. */
export function addCounters(counters: usize, bins: i32): void {
  for (let bin = 0; bin < bins; bin++) {
    const four = v128.load(counters + (<usize>bin << 4));
    const low = i32x4.extract_lane(four, 0) + i32x4.extract_lane(four, 1);
    store<i32>(counters + (<usize>bin << 2), low + i32x4.extract_lane(four, 2) + i32x4.extract_lane(four, 3));
  }
}

@inline
function countFour(bins: v128, counters: usize): void {
  increment(counters + (<usize>i32x4.extract_lane(bins, 0) << 4));
  increment(counters + (<usize>i32x4.extract_lane(bins, 1) << 4) + 4);
  increment(counters + (<usize>i32x4.extract_lane(bins, 2) << 4) + 8);
  increment(counters + (<usize>i32x4.extract_lane(bins, 3) << 4) + 12);
}

@inline
function increment(counter: usize): void {
  store<u32>(counter, load<u32>(counter) + 1);
}

function countFloat(bits: u32, range: RangeRow, edges: usize, counters: usize, outside: usize): void {
  const key = keyOfBits(bits);
  if (isNaNBits(bits)) increment(outside + 8);
  else if (key < range.low || key > range.high) miss(key, range, outside);
  else settle((reinterpret<f32>(bits) - range.base) * range.scale, key, range, edges, counters);
}

function countKey(key: u32, range: RangeRow, edges: usize, counters: usize, outside: usize): void {
  if (key < range.low || key > range.high) miss(key, range, outside);
  else settle(<f32>(key - range.low) * range.scale + range.base, key, range, edges, counters);
}

/** Finds the counters of a bin: no edge but the one nearest to the place may be on the wrong side of it. */
@inline
function settled(near: u32, key: u32, reach: u32, edges: usize): usize {
  const isBelow = i32(near >= reach) | i32(load<u32>(edges + (<usize>near << 2)) > key);
  return <usize>(near - isBelow) << 4;
}

function settle(place: f32, key: u32, range: RangeRow, edges: usize, counters: usize): void {
  increment(counters + settled(<u32>floor(place + 0.5), key, range.reach, edges));
}

/** Counts four elements of which some lie near edges, as whole numbers often do. */
@inline
function binFour(places: v128, keys: v128, range: RangeRow, edges: usize, counters: usize): void {
  const reach = range.reach;
  const nears = i32x4.trunc_sat_f32x4_s(f32x4.floor(f32x4.add(places, f32x4.splat(0.5))));
  increment(counters + settled(i32x4.extract_lane(nears, 0), i32x4.extract_lane(keys, 0), reach, edges));
  increment(counters + settled(i32x4.extract_lane(nears, 1), i32x4.extract_lane(keys, 1), reach, edges) + 4);
  increment(counters + settled(i32x4.extract_lane(nears, 2), i32x4.extract_lane(keys, 2), reach, edges) + 8);
  increment(counters + settled(i32x4.extract_lane(nears, 3), i32x4.extract_lane(keys, 3), reach, edges) + 12);
}

/** Finds the last edge that is not above the key. */
function search(key: u32, range: RangeRow, edges: usize): u32 {
  let bin: u32 = 0;
  for (let above = range.reach; above - bin > 1; ) {
    const middle = (bin + above) >>> 1;
    if (load<u32>(edges + (<usize>middle << 2)) <= key) bin = middle;
    else above = middle;
  }
  return bin;
}

function miss(key: u32, range: RangeRow, outside: usize): void {
  const isBelow = range.verdict != ALL_ABOVE && (range.verdict == ALL_BELOW || key < range.low);
  increment(outside + (isBelow ? 0 : 4));
}
