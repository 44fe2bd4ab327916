/**
 * This is `knn.sketch` for a few rows, by ops/knn/contract/sketch.ts. It computes coordinates along the axes
 * in float64, the length of what the axes leave over, and the floor. filter.ts compares sketches. Surveys
 * multiply by the same loop.
 */

/** So many rows are projected at a time: fewer read axes more often, which do not fit a first-level cache. */
const ROWS: i32 = 4;

/**
 * Sketches rows f32 [count][depth], depth a multiple of 4, with axes f64 [axisCount][depth]. It works in
 * `work`, f64 [4][depth] and then [4][axisCount rounded up to 4], and writes sketches f32 [count][pitch
 * bytes], whose entries past axisCount + 2 are left alone, and floors f32 [count].
 */
export function sketchRows(
  rows: usize,
  count: i32,
  depth: i32,
  axes: usize,
  axisCount: i32,
  productFactor: f64,
  marginFactor: f64,
  marginConstant: f64,
  work: usize,
  sketches: usize,
  pitch: usize,
  floors: usize,
): void {
  const rowBytes = <usize>depth * 8;
  const found = work + <usize>ROWS * rowBytes;
  for (let i = 0; i < count; i += ROWS) {
    // Rows past the end repeat the last one.
    for (let row = 0; row < ROWS; row++) {
      const from = rows + <usize>min(i + row, count - 1) * (rowBytes >> 1);
      widen(from, depth, work + <usize>row * rowBytes);
    }
    multiplyRows(work, ROWS, axes, axisCount, depth, found);
    for (let row = i; row < min(i + ROWS, count); row++) {
      const own = found + <usize>((row - i) * axisCount) * 8;
      const out = sketches + <usize>row * pitch;
      const squares = squaresOf(work + <usize>(row - i) * rowBytes, rowBytes);
      const length = Math.sqrt(squares);
      let along: f64 = 0;
      for (let axis = 0; axis < axisCount; axis++) {
        const y = load<f64>(own + <usize>axis * 8);
        along += y * y;
        store<f32>(out + <usize>axis * 4, <f32>y);
      }
      store<f32>(out + <usize>axisCount * 4, <f32>Math.sqrt(max(squares - along, 0)));
      store<f32>(out + <usize>(axisCount + 1) * 4, <f32>(productFactor * length * Math.SQRT1_2 * ROUNDED_UP));
      const floor = squares - (marginFactor * squares + marginConstant);
      store<f32>(floors + <usize>row * 4, <f32>(floor - abs(floor) * ULP));
    }
  }
}

/**
 * Multiplies rows f64 [count][depth] by others f64 [width][depth], depth even. Writes their dot products f64
 * [count][width], of `count` rounded up to a multiple of ROWS, whose rows it reads.
 */
export function multiplyRows(rows: usize, count: i32, others: usize, width: i32, depth: i32, found: usize): void {
  const rowBytes = <usize>depth * 8;
  for (let i = 0; i < count; i += ROWS) {
    for (let other = 0; other < width; other += 2) {
      project(rows, rowBytes, others, other, min(other + 1, width - 1), found, width);
    }
    rows += ROWS * rowBytes;
    found += <usize>(ROWS * width) * 8;
  }
}

/** This puts a float32 that was rounded to nearest on the safe side. */
const ULP: f64 = 1.0 / 8388608.0;
const ROUNDED_UP: f64 = 1.0 + ULP;

/** Widens a row of float32 to float64. */
function widen(row: usize, depth: i32, wide: usize): void {
  for (const end = row + <usize>depth * 4; row < end; row += 16, wide += 32) {
    const x = v128.load(row);
    v128.store(wide, f64x2.promote_low_f32x4(x));
    v128.store(wide, f64x2.promote_low_f32x4(v128.shuffle<i64>(x, x, 1, 0)), 16);
  }
}

function squaresOf(row: usize, bytes: usize): f64 {
  let a = f64x2.splat(0), b = a;
  for (const end = row + bytes; row < end; row += 32) {
    const x = v128.load(row), y = v128.load(row, 16);
    a = f64x2.add(a, f64x2.mul(x, x));
    b = f64x2.add(b, f64x2.mul(y, y));
  }
  return total(f64x2.add(a, b));
}

/**
 * Adds up the coordinates of four rows along two axes; a pair of axes that repeats its first member only
 * writes it again.
 */
@inline
function project(rows: usize, rowBytes: usize, axes: usize, first: i32, second: i32, found: usize, axisCount: i32): void {
  let v = axes + <usize>first * rowBytes;
  let w = axes + <usize>second * rowBytes;
  let a = f64x2.splat(0), b = a, c = a, d = a;
  let e = a, f = a, g = a, h = a;
  let y = rows + rowBytes, z = y + rowBytes, u = z + rowBytes;
  const end = y;
  for (let x = rows; x < end; x += 16, y += 16, z += 16, u += 16, v += 16, w += 16) {
    const v0 = v128.load(v), w0 = v128.load(w);
    const x0 = v128.load(x);
    a = f64x2.add(a, f64x2.mul(x0, v0)), b = f64x2.add(b, f64x2.mul(x0, w0));
    const y0 = v128.load(y);
    c = f64x2.add(c, f64x2.mul(y0, v0)), d = f64x2.add(d, f64x2.mul(y0, w0));
    const z0 = v128.load(z);
    e = f64x2.add(e, f64x2.mul(z0, v0)), f = f64x2.add(f, f64x2.mul(z0, w0));
    const u0 = v128.load(u);
    g = f64x2.add(g, f64x2.mul(u0, v0)), h = f64x2.add(h, f64x2.mul(u0, w0));
  }
  const step = <usize>axisCount * 8;
  const one = found + <usize>first * 8, two = found + <usize>second * 8;
  store<f64>(one, total(a)), store<f64>(two, total(b));
  store<f64>(one + step, total(c)), store<f64>(two + step, total(d));
  store<f64>(one + 2 * step, total(e)), store<f64>(two + 2 * step, total(f));
  store<f64>(one + 3 * step, total(g)), store<f64>(two + 3 * step, total(h));
}

@inline
function total(sum: v128): f64 {
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}
