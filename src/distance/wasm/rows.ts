/**
 * Prepares rows that are only moved, scaled and rounded to float32, to the bits of distance/rows/prepare.ts,
 * and finds the extremes of rows nobody has looked at. Shapes that few measures need are not here: TypeScript
 * makes them.
 */

/**
 * Prepares rows f32 [count][cols], of which up to 12 bytes behind the last one are read. Subtracts the centre
 * f64 [stride] and multiplies by `factor`, both in float64. Writes rows f32 [count][stride], whose entries
 * past the columns are 0, and the sum of squares of each, f64 [count], as four sums of every fourth entry.
 */
export function prepareRows(
  rows: usize,
  count: i32,
  cols: i32,
  centre: usize,
  factor: f64,
  prepared: usize,
  squares: usize,
): void {
  const scale = f64x2.splat(factor);
  const end = i32x4.splat(cols);
  for (let i = 0; i < count; i++) {
    const row = rows + <usize>i * (<usize>cols * 4);
    let place = i32x4(0, 1, 2, 3);
    let a = f64x2.splat(0), b = a;
    for (let j = 0; j < cols; j += 4) {
      const x = v128.and(v128.load(row + <usize>j * 4), i32x4.lt_s(place, end));
      const moved = centre + <usize>j * 8;
      const low = rounded(x, v128.load(moved), scale);
      const high = rounded(v128.shuffle<i64>(x, x, 1, 0), v128.load(moved, 16), scale);
      v128.store(prepared, v128.shuffle<i64>(low, high, 0, 2));
      const y = f64x2.promote_low_f32x4(low), z = f64x2.promote_low_f32x4(high);
      a = f64x2.add(a, f64x2.mul(y, y));
      b = f64x2.add(b, f64x2.mul(z, z));
      place = i32x4.add(place, i32x4.splat(4));
      prepared += 16;
    }
    a = f64x2.add(a, b);
    store<f64>(squares + <usize>i * 8, f64x2.extract_lane(a, 0) + f64x2.extract_lane(a, 1));
  }
}

/** No normal float32 is smaller: a device may take what is smaller for 0. */
const SMALLEST_NORMAL: f64 = 1.0 / 85070591730234615865843651857942052864.0;

/** Returns the two float32 of the lower half moved and scaled, again in the lower half. */
@inline
function rounded(x: v128, centre: v128, scale: v128): v128 {
  const moved = f64x2.mul(f64x2.sub(f64x2.promote_low_f32x4(x), centre), scale);
  const isSmall = f64x2.lt(f64x2.abs(moved), f64x2.splat(SMALLEST_NORMAL));
  return f32x4.demote_f64x2_zero(v128.andnot(moved, isSmall));
}

/**
 * Looks at `count` numbers f32, a multiple of 4, whose first one stands at `place` of a period. Raises and
 * lowers the extremes of each place, f32 [2][period], the largest first; NaN leaves them alone.
 * @returns 1 where some number has a fraction, 3 where one is NaN
 */
export function lookAt(values: usize, count: i32, extremes: usize, period: i32, place: i32): i32 {
  const end = extremes + <usize>period * 4;
  let at = extremes + <usize>place * 4;
  let fractions = i32x4.splat(0), strange = fractions;
  for (const behind = values + <usize>count * 4; values < behind; values += 16) {
    const x = v128.load(values);
    const least = at + <usize>period * 4;
    v128.store(at, f32x4.pmax(v128.load(at), x));
    v128.store(least, f32x4.pmin(v128.load(least), x));
    fractions = v128.or(fractions, f32x4.ne(x, f32x4.floor(x)));
    strange = v128.or(strange, f32x4.ne(x, x));
    at += 16;
    if (at == end) at = extremes;
  }
  return i32(v128.any_true(fractions)) | (i32(v128.any_true(strange)) << 1);
}
