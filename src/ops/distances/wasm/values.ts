/**
 * Float32 values of pairs say most bins. These functions find the least and the largest value, and count by
 * equal bins where no edge is within the error of a value. They list the rows whose values leave it open or
 * are NaN. How large the error is, is said in ../values.ts.
 */
import { increment } from "./count";

/** Writes the least and the largest of f32 values [count], a multiple of 4, NaN aside, f32 [2]. */
export function rangeOfValues(at: usize, count: i32, range: usize): void {
  let low = f32x4.splat(Infinity);
  let high = f32x4.splat(-Infinity);
  for (const end = at + (<usize>count << 2); at < end; at += 16) {
    const values = v128.load(at);
    low = f32x4.pmin(low, values);
    high = f32x4.pmax(high, values);
  }
  low = f32x4.min(low, v128.shuffle<i32>(low, low, 2, 3, 0, 1));
  high = f32x4.max(high, v128.shuffle<i32>(high, high, 2, 3, 0, 1));
  store<f32>(range, min(f32x4.extract_lane(low, 0), f32x4.extract_lane(low, 1)));
  store<f32>(range, max(f32x4.extract_lane(high, 0), f32x4.extract_lane(high, 1)), 4);
}

/**
 * Lists the rows, from `first` on, whose values are not between two others, behind the `listed` ones.
 * @returns how many are listed then, or -1 where there is no room for them
 */
export function listOutside(
  at: usize,
  count: i32,
  low: f32,
  high: f32,
  first: i32,
  list: usize,
  listed: i32,
  room: i32,
): i32 {
  const lows = f32x4.splat(low);
  const highs = f32x4.splat(high);
  for (let row = 0; row < count; row += 4, at += 16) {
    const values = v128.load(at);
    const between = i32x4.bitmask(v128.and(f32x4.gt(values, lows), f32x4.lt(values, highs)));
    if (between == 15) continue;
    if (listed + 4 > room) return -1;
    listed = append(between, first + row, list, listed);
  }
  return listed;
}

/** Appends the rows of four lanes that are not marked. @returns how many are listed then */
function append(marks: i32, row: i32, list: usize, listed: i32): i32 {
  for (let lane = 0; lane < 4; lane++) {
    if ((marks >>> lane) & 1) continue;
    store<i32>(list + (<usize>listed << 2), row + lane);
    listed++;
  }
  return listed;
}

/**
 * Counts values f32 [count], a multiple of 4, or their roots, by equal bins: below them, [bins], above them,
 * in counters u32 [4][bins + 2], `pitch` bytes apart. The middle of counter i is the place i, (v - low) *
 * scale. Lists the rows whose place is farther than `clear` from a middle, and so near an edge.
 * @param whole 2^23, which added to a number below it leaves a whole one in its low bits
 * @returns how many are listed, or -1 where there is no room for them
 */
export function countValues(
  at: usize,
  count: i32,
  root: bool,
  low: f32,
  scale: f32,
  last: f32,
  clear: f32,
  whole: f32,
  counters: usize,
  pitch: usize,
  list: usize,
  room: i32,
): i32 {
  const lows = f32x4.splat(low);
  const scales = f32x4.splat(scale);
  const zero = f32x4.splat(0);
  const lasts = f32x4.splat(last);
  const clears = f32x4.splat(clear);
  const wholes = f32x4.splat(whole);
  const first = counters - (<usize>reinterpret<u32>(whole) << 2);
  const second = first + pitch;
  const third = second + pitch;
  const fourth = third + pitch;
  let listed = 0;
  for (let row = 0; row < count; row += 4, at += 16) {
    const values = v128.load(at);
    const distances = root ? f32x4.sqrt(values) : values;
    const free = f32x4.mul(f32x4.sub(distances, lows), scales);
    const place = f32x4.pmin(f32x4.pmax(free, zero), lasts);
    const nearest = f32x4.add(place, wholes);
    const off = f32x4.abs(f32x4.sub(place, f32x4.sub(nearest, wholes)));
    const isClear = f32x4.le(off, clears);
    const offsets = i32x4.shl(nearest, 2);
    if (i32x4.all_true(isClear)) {
      increment(first + <usize>i32x4.extract_lane(offsets, 0));
      increment(second + <usize>i32x4.extract_lane(offsets, 1));
      increment(third + <usize>i32x4.extract_lane(offsets, 2));
      increment(fourth + <usize>i32x4.extract_lane(offsets, 3));
      continue;
    }
    if (listed + 4 > room) return -1;
    const marks = i32x4.bitmask(isClear);
    if (marks & 1) increment(first + <usize>i32x4.extract_lane(offsets, 0));
    if (marks & 2) increment(first + <usize>i32x4.extract_lane(offsets, 1));
    if (marks & 4) increment(first + <usize>i32x4.extract_lane(offsets, 2));
    if (marks & 8) increment(first + <usize>i32x4.extract_lane(offsets, 3));
    listed = append(marks, row, list, listed);
  }
  return listed;
}
