/**
 * This finds the nearest point of each query, where one is asked for. Queries that lie together, as order.ts
 * puts them, are a batch: each looks into its own leaf first; then the leaves that may hold something nearer
 * for any of them are listed once, and each query goes through that list, without a tree. The nearest k are
 * search.ts, which also says why nothing is missed: the box around a batch is no farther from another box
 * than each of its queries, also as float32 rounds it, since rounding keeps the order.
 */

import { gaps, gapsBetween, GROUP, leastOf, nearestOf } from "./order";
import {
  boxes,
  enterLeaf,
  groups,
  heap,
  keys,
  leafLimit,
  limit,
  offerPlace,
  places,
  points,
  resumeSearch,
  search,
  squaresAt,
  stack,
  startSearch,
  takeQuery,
} from "./search";

/**
 * A batch has at most so many queries, and a list so many leaves. Where it would be longer, each query goes
 * down the tree on its own.
 */
const BATCH: u32 = 32;
const LISTED: u32 = 128;
/** Four leaves of a list take this many bytes: their boxes, as those of a group, and their numbers. */
const FOUR: usize = GROUP + 16;
/** A query has so many bytes: distance and row of the nearest so far, and the leaf it was found in. */
const FOUND: usize = 16;
/** Marks of so many fours fit into 64 bits. */
const FOURS: u64 = 16;

/** Squares of the places of a leaf, what is found for the batch, and the list lie here. */
let squares: usize = 0;
let found: usize = 0;
let list: usize = 0;

/**
 * Searches for records in the order of the groups, `levels` below the root, and writes what it finds where
 * their rows say.
 * @param ends u32 [4^levels], where the records of each group end
 * @param wide as of searchPoints
 * @param scratch room of 4,160 bytes
 * @param rows u32 [..]
 * @param distances f64 [..]
 * @returns the number of pairs it compared
 */
export function searchNearest(
  records: usize,
  ends: usize,
  levels: u32,
  wide: usize,
  scratch: usize,
  rows: usize,
  distances: usize,
): f64 {
  squares = scratch;
  found = squares + <usize>places * 4;
  list = found + <usize>BATCH * FOUND;
  const count = <u32>1 << (2 * levels);
  const first = (count - 1) / 3;
  let compared: f64 = 0;
  let begin: u32 = 0;
  for (let bucket: u32 = 0; bucket < count; bucket++) {
    const end = load<u32>(ends + <usize>bucket * 4);
    while (begin < end) {
      const some = min(end - begin, BATCH);
      compared += <f64>searchBatch(first + bucket, records + <usize>begin * 16, some, wide, rows, distances);
      begin += some;
    }
  }
  return compared;
}

/** Searches for records that are nearest to one node. @returns the number of pairs it compared */
function searchBatch(node: u32, records: usize, count: u32, wide: usize, rows: usize, distances: usize): u32 {
  let low = v128.load(records);
  let high = low;
  let most: f32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const record = records + <usize>i * 16;
    const values = v128.load(record);
    low = f32x4.pmin(low, values);
    high = f32x4.pmax(high, values);
    const at = found + <usize>i * FOUND;
    store<u32>(at, lookAround(record, node, wide), 12);
    store<f64>(at, load<f64>(keys));
    store<u32>(at, load<u32>(heap), 8);
    most = max(most, limit);
  }
  let compared = count * places;
  const listed = listLeaves(low, high, most);
  for (let i: u32 = 0; i < count; i++) {
    const record = records + <usize>i * 16;
    const at = found + <usize>i * FOUND;
    const query = takeQuery(record, wide);
    resumeSearch(load<f64>(at), load<u32>(at, 8));
    compared += listed > LISTED ? search(record) : searchList(listed, record, load<u32>(at, 12));
    store<u32>(rows + <usize>query * 4, load<u32>(heap));
    store<f64>(distances + <usize>query * 8, load<f64>(keys));
  }
  return compared;
}

/** Looks into the leaf below a node that is nearest to a query. @returns this leaf */
@inline
function lookAround(record: usize, node: u32, wide: usize): u32 {
  const x = v128.load32_splat(record);
  const y = v128.load32_splat(record, 4);
  const z = v128.load32_splat(record, 8);
  takeQuery(record, wide);
  startSearch();
  while (node < groups) node = 4 * node + 1 + nearestOf(gaps(boxes + <usize>node * GROUP, x, y, z));
  lookInto(node - groups, x, y, z);
  return node - groups;
}

/** Goes through the listed leaves but one, which was looked into. @returns the number of pairs it compared */
@inline
function searchList(listed: u32, record: usize, own: u32): u32 {
  const x = v128.load32_splat(record);
  const y = v128.load32_splat(record, 4);
  const z = v128.load32_splat(record, 8);
  const seen = i32x4.splat(own);
  const end = list + <usize>(listed / 4) * FOUR;
  let compared: u32 = 0;
  for (let four = list; four < end; ) {
    const first = four;
    const limits = f32x4.splat(limit);
    let marks: u64 = 0;
    for (let i: u64 = 0; four < end && i < FOURS; four += FOUR, i++) {
      const isSeen = i32x4.eq(v128.load(four, GROUP), seen);
      const isNear = f32x4.le(gaps(four, x, y, z), limits);
      marks |= <u64>i32x4.bitmask(v128.andnot(isNear, isSeen)) << (4 * i);
    }
    for (; marks != 0; marks &= marks - 1) {
      const at = <usize>ctz(marks);
      lookInto(load<u32>(first + (at >> 2) * FOUR + (at & 3) * 4, GROUP), x, y, z);
      compared += places;
    }
  }
  return compared;
}

/**
 * Lists the leaves near a box, in fours.
 * @returns their number, a multiple of 4; more than LISTED where they are too many
 */
function listLeaves(low: v128, high: v128, most: f32): u32 {
  if (groups == 0) return 0;
  const x = v128.shuffle<f32>(low, low, 0, 0, 0, 0);
  const y = v128.shuffle<f32>(low, low, 1, 1, 1, 1);
  const z = v128.shuffle<f32>(low, low, 2, 2, 2, 2);
  const toX = v128.shuffle<f32>(high, high, 0, 0, 0, 0);
  const toY = v128.shuffle<f32>(high, high, 1, 1, 1, 1);
  const toZ = v128.shuffle<f32>(high, high, 2, 2, 2, 2);
  const limits = f32x4.splat(most);
  let top = stack;
  let group: u32 = 0;
  let listed: u32 = 0;
  while (true) {
    const at = boxes + <usize>group * GROUP;
    const s = gapsBetween(at, x, toX, y, toY, z, toZ);
    for (let mask = i32x4.bitmask(f32x4.le(s, limits)); mask != 0; mask &= mask - 1) {
      const child = <u32>ctz(mask);
      const node: u32 = 4 * group + 1 + child;
      if (node < groups) {
        store<u32>(top, node);
        top += 8;
        continue;
      }
      if (listed == LISTED) return LISTED + 1;
      const to = placeOf(listed++);
      for (let offset: usize = 0; offset < GROUP; offset += 16) {
        store<f32>(to + offset, load<f32>(at + <usize>child * 4 + offset));
      }
      store<u32>(to, node - groups, GROUP);
    }
    if (top == stack) break;
    top -= 8;
    group = load<u32>(top);
  }
  // Boxes that are infinitely far away fill the last four.
  for (; (listed & 3) != 0; listed++) store<f32>(placeOf(listed), Infinity);
  return listed;
}

@inline
function placeOf(listed: u32): usize {
  return list + <usize>(listed >> 2) * FOUR + <usize>(listed & 3) * 4;
}

/**
 * Offers the nearest point of a leaf, if it is near enough, and then those that float32 does not tell apart
 * from it.
 */
function lookInto(leaf: u32, x: v128, y: v128, z: v128): void {
  const pitch = <usize>places * 4;
  const begin = points + <usize>leaf * pitch * 4;
  const end = squares + pitch;
  let least = f32x4.splat(Infinity);
  for (let at = begin, to = squares; to < end; at += 16, to += 16) {
    const s = squaresAt(at, pitch, x, y, z);
    v128.store(to, s);
    least = f32x4.pmin(least, s);
  }
  least = leastOf(least);
  enterLeaf(leaf);
  if (f32x4.extract_lane(least, 0) > leafLimit) return;
  const first = <u32>ctz(marksUpTo(least));
  offerPlace(leaf, first);
  for (let marks = marksUpTo(f32x4.splat(leafLimit)) & ~(1 << first); marks != 0; marks &= marks - 1) {
    offerPlace(leaf, <u32>ctz(marks));
  }
}

/** Returns a bit for each place of the leaf whose square is at most a limit. */
@inline
function marksUpTo(limits: v128): u32 {
  let marks: u32 = 0;
  for (let at: u32 = 0; at < places; at += 4) {
    marks |= <u32>i32x4.bitmask(f32x4.le(v128.load(squares + <usize>at * 4), limits)) << at;
  }
  return marks;
}
