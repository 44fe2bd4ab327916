/**
 * This takes the last steps from sums to distances, in place over f64 [count], and finds the range of
 * distances. It may write a pair of lanes past the end: the caller leaves room for that.
 */

export function rootDistances(at: usize, count: i32): void {
  for (const end = at + (<usize>count << 3); at < end; at += 16) v128.store(at, f64x2.sqrt(v128.load(at)));
}

/** Negates sums; 0 stays 0. */
export function negateDistances(at: usize, count: i32): void {
  const zero = f64x2.splat(0);
  for (const end = at + (<usize>count << 3); at < end; at += 16)
    v128.store(at, f64x2.add(f64x2.neg(v128.load(at)), zero));
}

/**
 * Makes distances 1 - cos in [0, 2] of dot products with one query; 1 where a row is zero.
 * @param squares the dot products of the rows with themselves, f64 [count]
 * @param square that of the query
 */
export function cosineDistances(at: usize, count: i32, squares: usize, square: f64): void {
  const zero = f64x2.splat(0);
  const one = f64x2.splat(1);
  const own = f64x2.splat(square);
  for (const end = at + (<usize>count << 3); at < end; at += 16, squares += 16) {
    const row = v128.load(squares);
    const cosine = f64x2.div(v128.load(at), f64x2.sqrt(f64x2.mul(row, own)));
    const distance = f64x2.min(f64x2.max(f64x2.sub(one, cosine), zero), f64x2.splat(2));
    const isZero = v128.or(f64x2.eq(row, zero), f64x2.eq(own, zero));
    v128.store(at, v128.bitselect(one, distance, isZero));
  }
}

/** Widens a range, f64 [2], which begins as Infinity and -Infinity, so that it holds finite distances. */
export function rangeOfDistances(at: usize, count: i32, range: usize): void {
  const infinity = f64x2.splat(Infinity);
  const minus = f64x2.splat(-Infinity);
  let low = v128.load64_splat(range);
  let high = v128.load64_splat(range, 8);
  const end = at + (<usize>count << 3);
  for (; at + 16 <= end; at += 16) {
    const distances = v128.load(at);
    const isFinite = f64x2.lt(f64x2.abs(distances), infinity);
    low = f64x2.pmin(low, v128.bitselect(distances, infinity, isFinite));
    high = f64x2.pmax(high, v128.bitselect(distances, minus, isFinite));
  }
  if (at < end) {
    const distance = load<f64>(at);
    if (abs(distance) < Infinity) {
      low = f64x2.pmin(low, f64x2.splat(distance));
      high = f64x2.pmax(high, f64x2.splat(distance));
    }
  }
  store<f64>(range, min(f64x2.extract_lane(low, 0), f64x2.extract_lane(low, 1)));
  store<f64>(range, max(f64x2.extract_lane(high, 0), f64x2.extract_lane(high, 1)), 8);
}
