/**
 * This is `knn.sketch` for a few rows, by ops/knn/contract/sketch.ts. It computes coordinates along the axes
 * in float64, the length of what the axes leave over, and the floor. filter.ts compares sketches.
 */

/**
 * Sketches rows f32 [count][depth], depth a multiple of 4, with axes f64 [axisCount][depth]. It works in
 * `work`, f64 [2][depth] and then [2][axisCount rounded up to 4], and writes sketches f32 [count][pitch
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
  const found = work + 2 * rowBytes;
  for (let i = 0; i < count; i += 2) {
    const last = min(i + 1, count - 1);
    const squares0 = widen(rows + <usize>i * (rowBytes >> 1), depth, work);
    const squares1 = widen(rows + <usize>last * (rowBytes >> 1), depth, work + rowBytes);
    for (let axis = 0; axis < axisCount; axis += 2) {
      project(work, rowBytes, axes, axis, min(axis + 1, axisCount - 1), found, axisCount);
    }
    for (let row = i; row <= last; row++) {
      const own = found + <usize>((row - i) * axisCount) * 8;
      const out = sketches + <usize>row * pitch;
      const squares = row == i ? squares0 : squares1;
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

/** This puts a float32 that was rounded to nearest on the safe side. */
const ULP: f64 = 1.0 / 8388608.0;
const ROUNDED_UP: f64 = 1.0 + ULP;

/** Widens a row of float32 to float64. @returns the sum of its squares */
function widen(row: usize, depth: i32, wide: usize): f64 {
  let sum: f64 = 0;
  for (let d = 0; d < depth; d++) {
    const x = <f64>load<f32>(row + <usize>d * 4);
    store<f64>(wide + <usize>d * 8, x);
    sum += x * x;
  }
  return sum;
}

/**
 * Adds up the coordinates of two rows along two axes; a pair that repeats its first member only writes it
 * again.
 */
@inline
function project(rows: usize, rowBytes: usize, axes: usize, first: i32, second: i32, found: usize, axisCount: i32): void {
  let v = axes + <usize>first * rowBytes;
  let w = axes + <usize>second * rowBytes;
  let a = f64x2.splat(0), b = a, c = a, d = a;
  let e = a, f = a, g = a, h = a;
  const end = rows + rowBytes;
  for (let x = rows; x < end; x += 32, v += 32, w += 32) {
    const x0 = v128.load(x), x1 = v128.load(x, 16);
    const y0 = v128.load(x + rowBytes), y1 = v128.load(x + rowBytes, 16);
    const v0 = v128.load(v), v1 = v128.load(v, 16);
    const w0 = v128.load(w), w1 = v128.load(w, 16);
    a = f64x2.add(a, f64x2.mul(x0, v0)), e = f64x2.add(e, f64x2.mul(x1, v1));
    b = f64x2.add(b, f64x2.mul(x0, w0)), f = f64x2.add(f, f64x2.mul(x1, w1));
    c = f64x2.add(c, f64x2.mul(y0, v0)), g = f64x2.add(g, f64x2.mul(y1, v1));
    d = f64x2.add(d, f64x2.mul(y0, w0)), h = f64x2.add(h, f64x2.mul(y1, w1));
  }
  store<f64>(found + <usize>first * 8, total(f64x2.add(a, e)));
  store<f64>(found + <usize>second * 8, total(f64x2.add(b, f)));
  store<f64>(found + <usize>(axisCount + first) * 8, total(f64x2.add(c, g)));
  store<f64>(found + <usize>(axisCount + second) * 8, total(f64x2.add(d, h)));
}

@inline
function total(sum: v128): f64 {
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}
