/**
 * This counts distances by equal bins, by the rule of ../counting.ts: four at a time where no edge is near
 * any of them, else one after the other. Each of the four has counters of its own, so that consecutive
 * distances that share a bin do not wait for each other.
 */

/** Marks a distance that lies in no bin. */
const NOWHERE: i32 = -1;

/**
 * Adds distances f64 [count] to counters, u32 [bins] each, `pitch` bytes apart, and to `outside`, u32 [3]:
 * below, above, NaN.
 * @param scale bins / (max - min)
 * @param guard a share of a bin: a place at least as far from an edge is on the right side of it
 */
export function countDistances(
  at: usize,
  count: i32,
  low: f64,
  high: f64,
  bins: i32,
  scale: f64,
  guard: f64,
  counters: usize,
  pitch: usize,
  outside: usize,
): void {
  const lows = f64x2.splat(low);
  const highs = f64x2.splat(high);
  const scales = f64x2.splat(scale);
  const least = f64x2.splat(guard);
  const most = f64x2.splat(1 - guard);
  const second = counters + pitch;
  const third = second + pitch;
  const fourth = third + pitch;
  const end = at + (<usize>count << 3);
  for (; at + 32 <= end; at += 32) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const placeOfA = f64x2.mul(f64x2.sub(a, lows), scales);
    const placeOfB = f64x2.mul(f64x2.sub(b, lows), scales);
    const wholeOfA = f64x2.trunc(placeOfA);
    const wholeOfB = f64x2.trunc(placeOfB);
    const isClear = v128.and(
      clear(a, lows, highs, f64x2.sub(placeOfA, wholeOfA), least, most),
      clear(b, lows, highs, f64x2.sub(placeOfB, wholeOfB), least, most),
    );
    if (i64x2.all_true(isClear)) {
      const binsOfA = i32x4.trunc_sat_f64x2_s_zero(wholeOfA);
      const binsOfB = i32x4.trunc_sat_f64x2_s_zero(wholeOfB);
      increment(counters + (<usize>i32x4.extract_lane(binsOfA, 0) << 2));
      increment(second + (<usize>i32x4.extract_lane(binsOfA, 1) << 2));
      increment(third + (<usize>i32x4.extract_lane(binsOfB, 0) << 2));
      increment(fourth + (<usize>i32x4.extract_lane(binsOfB, 1) << 2));
    } else {
      for (let lane: usize = 0; lane < 32; lane += 8)
        countOne(load<f64>(at + lane), low, high, bins, counters, outside);
    }
  }
  for (; at < end; at += 8) countOne(load<f64>(at), low, high, bins, counters, outside);
}

@inline
function clear(distances: v128, lows: v128, highs: v128, parts: v128, least: v128, most: v128): v128 {
  const isInside = v128.and(f64x2.ge(distances, lows), f64x2.le(distances, highs));
  return v128.and(isInside, v128.and(f64x2.ge(parts, least), f64x2.le(parts, most)));
}

@inline
export function increment(counter: usize): void {
  store<u32>(counter, load<u32>(counter) + 1);
}

function countOne(distance: f64, low: f64, high: f64, bins: i32, counters: usize, outside: usize): void {
  const bin = binOf(distance, low, high, bins);
  if (bin != NOWHERE) increment(counters + (<usize>bin << 2));
  else if (isNaN(distance)) increment(outside + 8);
  else increment(outside + (distance == -Infinity || distance < low ? 0 : 4));
}

/** Finds the last edge that is not above the distance: by a guess, its neighbours, and then a search. */
function binOf(distance: f64, low: f64, high: f64, bins: i32): i32 {
  if (!(distance >= low && distance <= high)) return NOWHERE;
  const width = high - low;
  if (!(width > 0)) return 0;
  const place = ((distance - low) / width) * <f64>bins;
  const guess = place < <f64>bins ? <i32>place : bins - 1;
  let begin = 0;
  let above = bins;
  if (edge(low, width, guess, bins) <= distance) {
    if (guess == bins - 1 || edge(low, width, guess + 1, bins) > distance) return guess;
    begin = guess + 1;
  } else {
    if (edge(low, width, guess - 1, bins) <= distance) return guess - 1;
    above = guess - 1;
  }
  while (above - begin > 1) {
    const middle = (begin + above) >>> 1;
    if (edge(low, width, middle, bins) <= distance) begin = middle;
    else above = middle;
  }
  return begin;
}

@inline
function edge(low: f64, width: f64, at: i32, bins: i32): f64 {
  return low + (<f64>at * width) / <f64>bins;
}

/** Adds up the four counters of each bin, and leaves the sums in the first ones. */
export function sumCounters(counters: usize, bins: i32, pitch: usize): void {
  for (const end = counters + (<usize>bins << 2); counters < end; counters += 4) {
    const two = load<u32>(counters) + load<u32>(counters + pitch);
    store<u32>(counters, two + load<u32>(counters + 2 * pitch) + load<u32>(counters + 3 * pitch));
  }
}
