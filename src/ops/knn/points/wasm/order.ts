/**
 * This puts queries in the order of the groups of a tree, so that those that come one after the other visit
 * the same leaves, and measures how far boxes are. The searches are search.ts and nearest.ts.
 */

/** A group takes this many bytes: least x of four children, least y, least z, then the largest. */
export const GROUP: usize = 96;

/**
 * Writes records in the order of the groups, `levels` below the root, which they are nearest to.
 * @param boxes those of all groups
 * @param buckets u32 [count]
 * @param starts u32 [4^levels + 1], zeros; afterwards where the records of each group end
 */
export function bucketPoints(
  boxes: usize,
  records: usize,
  count: u32,
  levels: u32,
  buckets: usize,
  starts: usize,
  sorted: usize,
): void {
  const first = ((1 << (2 * levels)) - 1) / 3;
  for (let i: u32 = 0; i < count; i++) {
    const bucket = groupOf(boxes, records + <usize>i * 16, levels) - first;
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

function groupOf(boxes: usize, record: usize, levels: u32): u32 {
  const x = v128.load32_splat(record);
  const y = v128.load32_splat(record, 4);
  const z = v128.load32_splat(record, 8);
  let group: u32 = 0;
  for (let level: u32 = 0; level < levels; level++) {
    group = 4 * group + 1 + nearestOf(gaps(boxes + <usize>group * GROUP, x, y, z));
  }
  return group;
}

/**
 * Returns the place of the least of four numbers, the first of those that are equal. It has no branch, which
 * would be guessed wrong half of the time.
 */
@inline
export function nearestOf(numbers: v128): u32 {
  const least = leastOf(numbers);
  return ctz(i32x4.bitmask(f32x4.eq(numbers, least)));
}

/** Returns the least of four numbers, four times. */
@inline
export function leastOf(numbers: v128): v128 {
  const pairs = f32x4.pmin(numbers, v128.shuffle<f32>(numbers, numbers, 2, 3, 0, 1));
  return f32x4.pmin(pairs, v128.shuffle<f32>(pairs, pairs, 1, 0, 3, 2));
}

/** Returns the squares of the distances of four boxes. */
@inline
export function gaps(at: usize, x: v128, y: v128, z: v128): v128 {
  return gapsBetween(at, x, x, y, y, z, z);
}

/** Returns the squares of the distances of four boxes from one with these least and largest x, y, z. */
@inline
export function gapsBetween(at: usize, x: v128, toX: v128, y: v128, toY: v128, z: v128, toZ: v128): v128 {
  const a = gap(v128.load(at), v128.load(at, 48), x, toX);
  const b = gap(v128.load(at, 16), v128.load(at, 64), y, toY);
  const c = gap(v128.load(at, 32), v128.load(at, 80), z, toZ);
  return f32x4.add(f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b)), f32x4.mul(c, c));
}

@inline
function gap(least: v128, largest: v128, from: v128, to: v128): v128 {
  return f32x4.pmax(f32x4.splat(0), f32x4.pmax(f32x4.sub(least, to), f32x4.sub(from, largest)));
}
