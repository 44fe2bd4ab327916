/**
 * This finds the k nearest points of one query after the other along the tree of build.ts. It goes down the
 * tree, the nearer child first, past every box that is certain to hold nothing near enough, and takes a
 * float64 distance of each point that float32 does not rule out.
 *
 * What float32 rules out. Each difference, square and sum errs by at most u = 2^-24 relative, a square by
 * 2^-150 beside, and rounding keeps the order of the gap of a box and the differences of its points through
 * the same sums. So the float32 value s of a point, or of a box around it, is at most (1 + 6 u) T + 2^-147,
 * with T the square of the distance of what float32 holds. Where coordinates were rounded to float32, the
 * distance itself differs by at most what the query and the points of a leaf moved; boxes hold the points as
 * they are. So a point whose exact distance is at most d has s at most (1 + 6 u) (d + moved)^2 + 2^-147,
 * below the limit. Ties of the last root are of one part in 2^52, far inside.
 */

import { gaps, GROUP } from "./order";

const SLACK: f64 = 1 + 1.0 / 262144;
const TINY: f64 = 1e-40;
export let groups: u32 = 0;
export let places: u32 = 0;
export let points: usize = 0;
export let boxes: usize = 0;
/**
 * Here lie the largest coordinate of a leaf and its points, f64 [leaves][1 + 3 places], where float32 does
 * not hold them; else this is 0.
 */
export let exact: usize = 0;
let hasRoot: bool = false;
let k: u32 = 0;
/** The groups still to visit lie here with the squares of their distances, [..][2], and four more squares. */
export let stack: usize = 0;
let lows: usize = 0;
/**
 * The neighbours so far lie here, the farthest first: a heap of distances, f64 [k], and one of rows, u32 [k].
 */
export let keys: usize = 0;
export let heap: usize = 0;

/** The heap has this size, and the k-th nearest is at most this distance away. */
let size: u32 = 0;
let reach: f64 = Infinity;
/**
 * Rounding to float32 moved the query by at most `moved`, and a point of the leaf that is visited by
 * `leafMoved`.
 */
let moved: f64 = 0;
let leafMoved: f64 = 0;
/**
 * Boxes, and points of the leaf, are not wanted beyond these float32 values. They are finite, since empty
 * places and children that do not exist are infinitely far away.
 */
export let limit: f32 = 0;
export let leafLimit: f32 = 0;
let evaluated: f64 = 0;
/** Rounding moves a point at most so far, for each unit of its largest coordinate. */
let unit: f64 = 0;

let qx: f64 = 0;
let qy: f64 = 0;
let qz: f64 = 0;

/** Takes the sizes of a tree, where it lies, and room to work in. */
export function placePoints(
  groups_: u32,
  places_: u32,
  points_: usize,
  boxes_: usize,
  exact_: usize,
  unit_: f64,
  hasRoot_: bool,
  k_: u32,
  stack_: usize,
  lows_: usize,
  keys_: usize,
  heap_: usize,
): void {
  groups = groups_;
  places = places_;
  points = points_;
  boxes = boxes_;
  exact = exact_;
  unit = unit_;
  hasRoot = hasRoot_;
  k = k_;
  stack = stack_;
  lows = lows_;
  keys = keys_;
  heap = heap_;
}

/** Returns how many pairs were evaluated in float64 since it was asked last. */
export function evaluatedPairs(): f64 {
  const count = evaluated;
  evaluated = 0;
  return count;
}

/**
 * Searches for records in the order in which they lie, and writes what it finds where their rows say.
 * @param wide the queries in float64 by row, [..][3], where float32 does not hold them; else 0
 * @param rows u32 [..][k]
 * @param distances f64 [..][k]
 * @returns the number of pairs it compared
 */
export function searchPoints(
  records: usize,
  count: u32,
  wide: usize,
  rows: usize,
  distances: usize,
): f64 {
  let compared: f64 = 0;
  let last: f64 = Infinity;
  let px: f64 = 0;
  let py: f64 = 0;
  let pz: f64 = 0;
  for (let i: u32 = 0; i < count; i++, records += 16) {
    const query = takeQuery(records, wide);
    size = 0;
    reach = (last + sqrt(square(qx - px, qy - py, qz - pz))) * SLACK;
    setLimits();
    compared += <f64>search(records);
    last = distanceOf(load<f64>(keys));
    px = qx;
    py = qy;
    pz = qz;
    drain(rows + <usize>query * (k * 4), distances + <usize>query * (k * 8));
  }
  return compared;
}

/** Forgets the neighbours found. */
export function startSearch(): void {
  size = 0;
  reach = Infinity;
  setLimits();
}

/** Goes on, for one neighbour, with the nearest found. */
export function resumeSearch(key: f64, row: u32): void {
  size = 1;
  put(0, key, row);
  reach = distanceOf(key);
  setLimits();
}

/** Makes a record the query whose neighbours are sought. @returns its row */
export function takeQuery(record: usize, wide: usize): u32 {
  const query = load<u32>(record, 12);
  const x = load<f32>(record);
  const y = load<f32>(record, 4);
  const z = load<f32>(record, 8);
  if (wide) {
    const at = wide + <usize>query * 24;
    qx = load<f64>(at);
    qy = load<f64>(at, 8);
    qz = load<f64>(at, 16);
  } else {
    qx = <f64>x;
    qy = <f64>y;
    qz = <f64>z;
  }
  moved = unit * <f64>max(max(abs(x), abs(y)), abs(z));
  leafMoved = 0;
  return query;
}

@inline
function square(x: f64, y: f64, z: f64): f64 {
  return x * x + y * y + z * z;
}

@inline
function distanceOf(key: f64): f64 {
  return hasRoot ? key : sqrt(key);
}

function setLimits(): void {
  limit = limitOf(reach + moved);
  leafLimit = leafMoved == 0 ? limit : limitOf(reach + moved + leafMoved);
}

@inline
function limitOf(distance: f64): f32 {
  return min(<f32>(distance * distance * SLACK + TINY), f32.MAX_VALUE);
}

/** Searches from the root, for what is nearer than `reach`. @returns the number of pairs it compared */
export function search(record: usize): u32 {
  const x = v128.load32_splat(record);
  const y = v128.load32_splat(record, 4);
  const z = v128.load32_splat(record, 8);
  let compared: u32 = 0;
  let top = stack;
  let group: u32 = 0;
  while (true) {
    let mask: i32 = 1;
    while (group < groups) {
      const s = gaps(boxes + <usize>group * GROUP, x, y, z);
      mask = i32x4.bitmask(f32x4.le(s, f32x4.splat(limit)));
      if (mask == 0) break;
      let child = ctz(mask);
      let rest = mask & (mask - 1);
      if (rest != 0) {
        v128.store(lows, s);
        let near = load<f32>(lows + <usize>child * 4);
        do {
          let far = ctz(rest);
          let low = load<f32>(lows + <usize>far * 4);
          rest &= rest - 1;
          if (low < near) {
            const other = child;
            const lower = low;
            child = far;
            far = other;
            low = near;
            near = lower;
          }
          store<u32>(top, 4 * group + 1 + far);
          store<f32>(top, low, 4);
          top += 8;
        } while (rest != 0);
      }
      group = 4 * group + 1 + child;
    }
    if (mask != 0) {
      visit(group - groups, x, y, z);
      compared += places;
    }
    let isOver = false;
    do {
      if (top == stack) {
        isOver = true;
        break;
      }
      top -= 8;
    } while (load<f32>(top, 4) > limit);
    if (isOver) break;
    group = load<u32>(top);
  }
  return compared;
}

/** Offers the points of a leaf that are near enough. */
@inline
function visit(leaf: u32, x: v128, y: v128, z: v128): void {
  const pitch = <usize>places * 4;
  const begin = points + <usize>leaf * pitch * 4;
  enterLeaf(leaf);
  for (let at = begin, end = begin + pitch; at < end; at += 16) {
    const s = squaresAt(at, pitch, x, y, z);
    let mask = i32x4.bitmask(f32x4.le(s, f32x4.splat(leafLimit)));
    if (mask == 0) continue;
    v128.store(lows, s);
    for (; mask != 0; mask &= mask - 1) {
      const lane = <usize>ctz(mask) * 4;
      if (load<f32>(lows + lane) > leafLimit) continue;
      offerPlace(leaf, <u32>((at + lane - begin) >> 2));
    }
  }
}

/** Sets the limit for the points of a leaf. */
@inline
export function enterLeaf(leaf: u32): void {
  if (exact) {
    leafMoved = unit * load<f64>(exactOf(leaf));
    setLimits();
  } else leafLimit = limit;
}

@inline
function exactOf(leaf: u32): usize {
  return exact + <usize>leaf * (places * 24 + 8);
}

/** Returns the squares of the distances of four points, whose x, y and z are so far apart. */
@inline
export function squaresAt(at: usize, pitch: usize, x: v128, y: v128, z: v128): v128 {
  const a = f32x4.sub(v128.load(at), x);
  const b = f32x4.sub(v128.load(at + pitch), y);
  const c = f32x4.sub(v128.load(at + 2 * pitch), z);
  return f32x4.add(f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b)), f32x4.mul(c, c));
}

/** Offers the point at a place of a leaf. */
@inline
export function offerPlace(leaf: u32, place: u32): void {
  const pitch = <usize>places * 4;
  const at = points + <usize>leaf * pitch * 4 + (<usize>place << 2);
  const row = load<u32>(at + 3 * pitch);
  if (exact) {
    const point = exactOf(leaf) + 8 + <usize>place * 24;
    offer(load<f64>(point), load<f64>(point, 8), load<f64>(point, 16), row);
  } else offer(<f64>load<f32>(at), <f64>load<f32>(at + pitch), <f64>load<f32>(at + 2 * pitch), row);
}

/** Takes a point among the k nearest, where it is one of them. */
function offer(x: f64, y: f64, z: f64, row: u32): void {
  evaluated += 1;
  const s = square(qx - x, qy - y, qz - z);
  const key = hasRoot ? sqrt(s) : s;
  if (size == k) {
    const worst = load<f64>(keys);
    if (key > worst || (key == worst && row >= load<u32>(heap))) return;
    sink(0, key, row);
  } else {
    rise(size++, key, row);
  }
  if (size < k) return;
  reach = min(reach, distanceOf(load<f64>(keys)));
  setLimits();
}

/** Puts an entry where its parent is farther. */
@inline
function rise(at: u32, key: f64, row: u32): void {
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isFarther(key, row, parent)) break;
    move(parent, at);
    at = parent;
  }
  put(at, key, row);
}

/** Puts an entry in the place of another one, or where its children are nearer. */
@inline
function sink(at: u32, key: f64, row: u32): void {
  for (let child: u32 = 2 * at + 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && isFarther(load<f64>(keys + <usize>(child + 1) * 8), load<u32>(heap + <usize>(child + 1) * 4), child))
      child++;
    if (!isNearer(key, row, child)) break;
    move(child, at);
    at = child;
  }
  put(at, key, row);
}

@inline
function isFarther(key: f64, row: u32, than: u32): bool {
  const other = load<f64>(keys + <usize>than * 8);
  return key > other || (key == other && row > load<u32>(heap + <usize>than * 4));
}

@inline
function isNearer(key: f64, row: u32, than: u32): bool {
  const other = load<f64>(keys + <usize>than * 8);
  return key < other || (key == other && row < load<u32>(heap + <usize>than * 4));
}

@inline
function move(from: u32, to: u32): void {
  put(to, load<f64>(keys + <usize>from * 8), load<u32>(heap + <usize>from * 4));
}

@inline
function put(at: u32, key: f64, row: u32): void {
  store<f64>(keys + <usize>at * 8, key);
  store<u32>(heap + <usize>at * 4, row);
}

/** Writes the heap in ascending order. */
function drain(rows: usize, distances: usize): void {
  while (size > 0) {
    const last = size - 1;
    store<u32>(rows + <usize>last * 4, load<u32>(heap));
    store<f64>(distances + <usize>last * 8, load<f64>(keys));
    size = last;
    if (last > 0) sink(0, load<f64>(keys + <usize>last * 8), load<u32>(heap + <usize>last * 4));
  }
}
