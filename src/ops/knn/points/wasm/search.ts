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

const GROUP: usize = 96;
const SLACK: f64 = 1 + 1.0 / 262144;
const TINY: f64 = 1e-40;
/** This stands for no row. */
const NONE: u32 = 0xffffffff;

let groups: u32 = 0;
let places: u32 = 0;
let points: usize = 0;
let boxes: usize = 0;
/**
 * Here lie the largest coordinate of a leaf and its points, f64 [leaves][1 + 3 places], where float32 does
 * not hold them; else this is 0.
 */
let exact: usize = 0;
let hasRoot: bool = false;
let k: u32 = 0;
/** The groups still to visit lie here with the squares of their distances, [..][2], and four more squares. */
let stack: usize = 0;
let lows: usize = 0;
/**
 * The neighbours so far lie here, the farthest first: a heap of distances, f64 [k], and one of rows, u32 [k].
 */
let keys: usize = 0;
let heap: usize = 0;

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
let limit: f32 = 0;
let leafLimit: f32 = 0;
let evaluated: f64 = 0;
let unit: f64 = 0;

let qx: f64 = 0;
let qy: f64 = 0;
let qz: f64 = 0;
/** This is the nearest point so far, of one neighbour. */
let nx: f64 = 0;
let ny: f64 = 0;
let nz: f64 = 0;

export function placePoints(
  groups_: u32,
  places_: u32,
  points_: usize,
  boxes_: usize,
  exact_: usize,
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
 * Writes records in the order of the groups, `levels` below the root, which they are nearest to.
 * @param buckets u32 [count]
 * @param starts u32 [4^levels + 1], zeros
 */
export function bucketPoints(records: usize, count: u32, levels: u32, buckets: usize, starts: usize, sorted: usize): void {
  const first = ((1 << (2 * levels)) - 1) / 3;
  for (let i: u32 = 0; i < count; i++) {
    const bucket = groupOf(records + <usize>i * 16, levels) - first;
    store<u32>(buckets + <usize>i * 4, bucket);
    const at = starts + <usize>(bucket + 1) * 4;
    store<u32>(at, load<u32>(at) + 1);
  }
  const last = <u32>1 << (2 * levels);
  for (let bucket: u32 = 0; bucket < last; bucket++) {
    const at = starts + <usize>bucket * 4;
    store<u32>(at, load<u32>(at) + load<u32>(at, 4), 4);
  }
  for (let i: u32 = 0; i < count; i++) {
    const at = starts + <usize>load<u32>(buckets + <usize>i * 4) * 4;
    const to = load<u32>(at);
    store<u32>(at, to + 1);
    v128.store(sorted + <usize>to * 16, v128.load(records + <usize>i * 16));
  }
}

function groupOf(record: usize, levels: u32): u32 {
  const x = v128.load32_splat(record);
  const y = v128.load32_splat(record, 4);
  const z = v128.load32_splat(record, 8);
  let group: u32 = 0;
  for (let level: u32 = 0; level < levels; level++) {
    const s = gaps(boxes + <usize>group * GROUP, x, y, z);
    let child: u32 = 0;
    let near = f32x4.extract_lane(s, 0);
    const b = f32x4.extract_lane(s, 1);
    if (b < near) {
      near = b;
      child = 1;
    }
    const c = f32x4.extract_lane(s, 2);
    if (c < near) {
      near = c;
      child = 2;
    }
    if (f32x4.extract_lane(s, 3) < near) child = 3;
    group = 4 * group + 1 + child;
  }
  return group;
}

/** Returns the squares of the distances of four boxes. */
@inline
function gaps(at: usize, x: v128, y: v128, z: v128): v128 {
  const zero = f32x4.splat(0);
  const a = f32x4.pmax(zero, f32x4.pmax(f32x4.sub(v128.load(at), x), f32x4.sub(x, v128.load(at, 48))));
  const b = f32x4.pmax(zero, f32x4.pmax(f32x4.sub(v128.load(at, 16), y), f32x4.sub(y, v128.load(at, 64))));
  const c = f32x4.pmax(zero, f32x4.pmax(f32x4.sub(v128.load(at, 32), z), f32x4.sub(z, v128.load(at, 80))));
  return f32x4.add(f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b)), f32x4.mul(c, c));
}

/**
 * Searches for records in the order in which they lie, and writes what it finds where their rows say.
 * @param wide the queries in float64 by row, [..][3], where float32 does not hold them; else 0
 * @param unit how far rounding moves a point at most, for each unit of its largest coordinate
 * @param rows u32 [..][k]
 * @param distances f64 [..][k]
 * @returns the number of pairs it compared
 */
export function searchPoints(
  records: usize,
  count: u32,
  wide: usize,
  unit_: f64,
  rows: usize,
  distances: usize,
): f64 {
  let compared: f64 = 0;
  let last: f64 = Infinity;
  let px: f64 = 0;
  let py: f64 = 0;
  let pz: f64 = 0;
  let nearest: u32 = NONE;
  unit = unit_;
  for (let i: u32 = 0; i < count; i++, records += 16) {
    const query = load<u32>(records, 12);
    if (wide) {
      const at = wide + <usize>query * 24;
      qx = load<f64>(at);
      qy = load<f64>(at, 8);
      qz = load<f64>(at, 16);
    } else {
      qx = <f64>load<f32>(records);
      qy = <f64>load<f32>(records, 4);
      qz = <f64>load<f32>(records, 8);
    }
    moved = unit * <f64>max(max(abs(load<f32>(records)), abs(load<f32>(records, 4))), abs(load<f32>(records, 8)));
    leafMoved = 0;
    size = 0;
    reach = k > 1 ? (last + sqrt(square(qx - px, qy - py, qz - pz))) * SLACK : Infinity;
    setLimits();
    if (nearest != NONE) offer(nx, ny, nz, nearest);
    compared += <f64>search(records);
    if (k == 1) {
      nearest = load<u32>(heap);
      store<u32>(rows + <usize>query * 4, nearest);
      store<f64>(distances + <usize>query * 8, load<f64>(keys));
    } else {
      last = distanceOf(load<f64>(keys));
      px = qx;
      py = qy;
      pz = qz;
      drain(rows + <usize>query * (k * 4), distances + <usize>query * (k * 8));
    }
  }
  return compared;
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

function search(record: usize): u32 {
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
  const wide = exact + <usize>leaf * (places * 24 + 8);
  if (exact) {
    leafMoved = unit * load<f64>(wide);
    setLimits();
  } else leafLimit = limit;
  for (let at = begin, end = begin + pitch; at < end; at += 16) {
    const a = f32x4.sub(v128.load(at), x);
    const b = f32x4.sub(v128.load(at + pitch), y);
    const c = f32x4.sub(v128.load(at + 2 * pitch), z);
    const s = f32x4.add(f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b)), f32x4.mul(c, c));
    let mask = i32x4.bitmask(f32x4.le(s, f32x4.splat(leafLimit)));
    if (mask == 0) continue;
    v128.store(lows, s);
    for (; mask != 0; mask &= mask - 1) {
      const lane = <usize>ctz(mask) * 4;
      if (load<f32>(lows + lane) > leafLimit) continue;
      const place = at + lane;
      const row = load<u32>(place + 3 * pitch);
      if (exact) {
        const point = wide + 8 + ((place - begin) >> 2) * 24;
        offer(load<f64>(point), load<f64>(point, 8), load<f64>(point, 16), row);
      } else {
        offer(<f64>load<f32>(place), <f64>load<f32>(place + pitch), <f64>load<f32>(place + 2 * pitch), row);
      }
    }
  }
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
  if (k == 1) {
    nx = x;
    ny = y;
    nz = z;
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
