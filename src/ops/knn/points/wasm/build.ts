/**
 * This builds the tree of ops/knn/points/contract.ts. Records are moved about by selection so that those of a
 * leaf lie together, from the root down, and boxes are taken of what lies together.
 *
 * A record is 16 bytes: x, y, z as float32, and the row. Selection is that of Floyd and Rivest (Algorithm
 * 489, 1975): a sample says which pivot is close to the place that is asked for.
 */

const RECORD: usize = 16;
/** A group takes this many bytes: least x of four children, least y, least z, then the largest. */
const GROUP: usize = 96;
/** From this many records on a sample pays. */
const SAMPLED: i32 = 400;

let rows: u32 = 0;
let leaves: u32 = 0;
let groups: u32 = 0;
let places: u32 = 0;
let records: usize = 0;
let points: usize = 0;
let boxes: usize = 0;
/** This is true where points were rounded to float32, so that boxes must be larger. */
let isRounded: bool = false;

/**
 * Takes the sizes of the whole tree and the addresses that records, points and boxes of all of it would have;
 * only parts of them need to be there.
 */
export function placeSplits(
  rows_: u32,
  leaves_: u32,
  groups_: u32,
  places_: u32,
  records_: usize,
  points_: usize,
  boxes_: usize,
  isRounded_: bool,
): void {
  rows = rows_;
  leaves = leaves_;
  groups = groups_;
  places = places_;
  records = records_;
  points = points_;
  boxes = boxes_;
  isRounded = isRounded_;
}

/**
 * Makes records of values [count][cols]: float32, or float64 that are moved by the centre first and also
 * written, as they are, to `wide` [count][3] where that is not 0.
 */
export function takePoints(
  values: usize,
  count: u32,
  cols: u32,
  isWide: bool,
  x: f64,
  y: f64,
  z: f64,
  into: usize,
  wide: usize,
): void {
  for (let i: u32 = 0; i < count; i++, into += RECORD) {
    v128.store(into, i64x2.splat(0));
    store<u32>(into, i, 12);
    if (!isWide) {
      for (let j: u32 = 0; j < cols; j++, values += 4) store<f32>(into + <usize>j * 4, load<f32>(values));
      continue;
    }
    for (let j: u32 = 0; j < 3; j++) {
      const value = j < cols ? load<f64>(values + <usize>j * 8) : 0;
      if (j < cols) store<f32>(into + <usize>j * 4, <f32>(value - (j == 0 ? x : j == 1 ? y : z)));
      if (wide) store<f64>(wide + (<usize>i * 3 + j) * 8, value);
    }
    values += <usize>cols * 8;
  }
}

/** Returns the first record of a leaf. */
function beginOf(leaf: u32): i32 {
  return <i32>((<u64>leaf * rows) / leaves);
}

/**
 * Splits the records of a group, whose leaves are [first, first + count), into those of its children, and
 * writes the boxes of these.
 */
export function splitPoints(group: u32, first: u32, count: u32): void {
  const parts = partsOf(count);
  const each = count / parts;
  const begin = beginOf(first);
  const end = beginOf(first + count);
  if (parts == 2) select(begin, end, beginOf(first + each));
  if (parts == 3) {
    select(begin, end, beginOf(first + each));
    select(beginOf(first + each), end, beginOf(first + 2 * each));
  }
  if (parts == 4) {
    const middle = beginOf(first + 2 * each);
    select(begin, end, middle);
    select(begin, middle, beginOf(first + each));
    select(middle, end, beginOf(first + 3 * each));
  }
  const at = boxes + <usize>group * GROUP;
  for (let child: u32 = 0; child < 4; child++) {
    const slot = at + <usize>child * 4;
    if (child < parts) {
      boxOf(beginOf(first + child * each), beginOf(first + (child + 1) * each));
    } else {
      least = f32x4.splat(Infinity);
      largest = f32x4.splat(-Infinity);
    }
    store<f32>(slot, f32x4.extract_lane(least, 0));
    store<f32>(slot, f32x4.extract_lane(least, 1), 16);
    store<f32>(slot, f32x4.extract_lane(least, 2), 32);
    store<f32>(slot, f32x4.extract_lane(largest, 0), 48);
    store<f32>(slot, f32x4.extract_lane(largest, 1), 64);
    store<f32>(slot, f32x4.extract_lane(largest, 2), 80);
  }
}

/** Returns how many children a group over so many leaves has: four, but for the root. */
@inline
function partsOf(count: u32): u32 {
  if (count < 4) return count;
  let each = count;
  while ((each & 3) == 0) each >>= 2;
  return each == 1 ? 4 : each;
}

/** Builds all that is below a group, its own split included. */
export function buildPoints(group: u32, first: u32, count: u32): void {
  if (group >= groups) return fillLeaf(first);
  splitPoints(group, first, count);
  const parts = partsOf(count);
  const each = count / parts;
  for (let child: u32 = 0; child < parts; child++) buildPoints(4 * group + 1 + child, first + child * each, each);
}

/** Writes the places of a leaf. */
function fillLeaf(leaf: u32): void {
  const begin = beginOf(leaf);
  const count = <u32>(beginOf(leaf + 1) - begin);
  const pitch = <usize>places * 4;
  let at = points + <usize>leaf * pitch * 4;
  for (let place: u32 = 0; place < places; place++, at += 4) {
    const record = place < count ? v128.load(records + <usize>(begin + place) * RECORD) : EMPTY;
    store<f32>(at, f32x4.extract_lane(record, 0));
    store<f32>(at + pitch, f32x4.extract_lane(record, 1));
    store<f32>(at + 2 * pitch, f32x4.extract_lane(record, 2));
    store<u32>(at + 3 * pitch, i32x4.extract_lane(record, 3));
  }
}

/** This stands where there is no record: infinitely far away, of no row. */
const EMPTY: v128 = i32x4(0x7f800000, 0x7f800000, 0x7f800000, -1);

let least: v128 = f32x4.splat(0);
let largest: v128 = f32x4.splat(0);

function boxOf(begin: i32, end: i32): void {
  let at = records + <usize>begin * RECORD;
  const last = records + <usize>end * RECORD;
  let low = v128.load(at);
  let high = low;
  for (at += RECORD; at < last; at += RECORD) {
    const record = v128.load(at);
    low = f32x4.pmin(low, record);
    high = f32x4.pmax(high, record);
  }
  least = isRounded ? f32x4.sub(low, margin(low)) : low;
  largest = isRounded ? f32x4.add(high, margin(high)) : high;
}

/** Returns more than a coordinate was rounded by: two to eight times as much. */
@inline
function margin(value: v128): v128 {
  return f32x4.add(f32x4.mul(f32x4.abs(value), f32x4.splat(2.384185791015625e-7)), f32x4.splat(1.2e-38));
}

/**
 * Moves records so that none of [begin, middle) is larger than any of [middle, end), in the column where they
 * differ most.
 */
function select(begin: i32, end: i32, middle: i32): void {
  if (middle <= begin || middle >= end) return;
  boxOf(begin, end);
  const size = f32x4.sub(largest, least);
  const x = f32x4.extract_lane(size, 0);
  const y = f32x4.extract_lane(size, 1);
  const z = f32x4.extract_lane(size, 2);
  const column: usize = y > x ? (z > y ? 8 : 4) : z > x ? 8 : 0;
  selectIn(begin, end - 1, middle, records + column);
}

@inline
function valueAt(column: usize, i: i32): f32 {
  return load<f32>(column + <usize>i * RECORD);
}

function selectIn(left: i32, right: i32, k: i32, column: usize): void {
  while (right > left) {
    if (right - left > SAMPLED) {
      const n = <f64>(right - left + 1);
      const m = <f64>(k - left + 1);
      const powers = 32 - clz(right - left);
      const z = 0.7 * <f64>powers;
      const s = <f64>(1 << ((2 * powers) / 3));
      const sd = 0.5 * sqrt((z * s * (n - s)) / n) * (m - n / 2 < 0 ? -1 : 1);
      const from = max(left, <i32>floor(<f64>k - (m * s) / n + sd));
      const to = min(right, <i32>floor(<f64>k + ((n - m) * s) / n + sd));
      selectIn(from, to, k, column);
    }
    const pivot = valueAt(column, k);
    let middle = partition(left, right, column, pivot, false);
    if (k < middle) right = middle - 1;
    else if (middle > left) left = middle;
    else {
      middle = partition(left, right, column, pivot, true);
      if (k < middle) return;
      left = middle;
    }
  }
}

/**
 * Moves the records of [left, right] that are less than a pivot, or at most the pivot, before the others.
 * It has no branch. @returns the first of the others
 */
@inline
function partition(left: i32, right: i32, column: usize, pivot: f32, withEqual: bool): i32 {
  let to = records + <usize>left * RECORD;
  const end = records + <usize>right * RECORD;
  const key = column - records;
  for (let at = to; at <= end; at += RECORD) {
    const record = v128.load(at);
    const value = load<f32>(at + key);
    const isLess = withEqual ? value <= pivot : value < pivot;
    v128.store(at, v128.load(to));
    v128.store(to, record);
    to += <usize>isLess << 4;
  }
  return <i32>((to - records) >> 4);
}
