/**
 * `convolve` over samples that were copied in: y[i] is the sum over t of w[t] * x[i + t], in the order of t.
 * Outputs are made 128 bytes at a time, so that up to 124 bytes past the last one are written, and as many
 * past the last sample read: the caller leaves room. Nothing here knows ends of a signal.
 */

/** So many bytes of outputs are made at a time, in eight vectors. */
const STEP: usize = 128;

export function convolveFloats(x: usize, w: usize, taps: i32, y: usize, count: i32, add: bool): void {
  convolveSamples<f32>(x, w, taps, y, count, add);
}

export function convolveDoubles(x: usize, w: usize, taps: i32, y: usize, count: i32, add: bool): void {
  convolveSamples<f64>(x, w, taps, y, count, add);
}

/** Sums wrap modulo 2^32. */
export function convolveInts(x: usize, w: usize, taps: i32, y: usize, count: i32, add: bool): void {
  convolveSamples<i32>(x, w, taps, y, count, add);
}

/** @param add whether the sums begin with what is in y, else with 0 */
@inline
function convolveSamples<T>(x: usize, w: usize, taps: i32, y: usize, count: i32, add: bool): void {
  const wEnd = w + <usize>taps * sizeof<T>();
  for (const end = y + <usize>count * sizeof<T>(); y < end; y += STEP) {
    let a = add ? v128.load(y) : i64x2.splat(0);
    let b = add ? v128.load(y, 16) : i64x2.splat(0);
    let c = add ? v128.load(y, 32) : i64x2.splat(0);
    let d = add ? v128.load(y, 48) : i64x2.splat(0);
    let e = add ? v128.load(y, 64) : i64x2.splat(0);
    let f = add ? v128.load(y, 80) : i64x2.splat(0);
    let g = add ? v128.load(y, 96) : i64x2.splat(0);
    let h = add ? v128.load(y, 112) : i64x2.splat(0);
    let at = x;
    for (let tap = w; tap < wEnd; tap += sizeof<T>()) {
      const weight = v128.splat<T>(load<T>(tap));
      a = madd<T>(v128.load(at), weight, a);
      b = madd<T>(v128.load(at, 16), weight, b);
      c = madd<T>(v128.load(at, 32), weight, c);
      d = madd<T>(v128.load(at, 48), weight, d);
      e = madd<T>(v128.load(at, 64), weight, e);
      f = madd<T>(v128.load(at, 80), weight, f);
      g = madd<T>(v128.load(at, 96), weight, g);
      h = madd<T>(v128.load(at, 112), weight, h);
      at += sizeof<T>();
    }
    v128.store(y, a);
    v128.store(y, b, 16);
    v128.store(y, c, 32);
    v128.store(y, d, 48);
    v128.store(y, e, 64);
    v128.store(y, f, 80);
    v128.store(y, g, 96);
    v128.store(y, h, 112);
    x += STEP;
  }
}

@inline
function madd<T>(x: v128, w: v128, sum: v128): v128 {
  if (isFloat<T>()) {
    // @ts-ignore: RELAXED is defined by the build
    if (RELAXED) return v128.relaxed_madd<T>(x, w, sum);
  }
  return v128.add<T>(sum, v128.mul<T>(x, w));
}

/** Returns the largest magnitude of some ints, as a u32. */
export function largestInt(x: usize, count: i32): u32 {
  let largest: u32 = 0;
  for (const end = x + <usize>count * 4; x < end; x += 4) {
    const value = load<i32>(x);
    largest = max(largest, <u32>(value < 0 ? -value : value));
  }
  return largest;
}

/**
 * Adds to sums of ints, which have two words of 64 bits each: 2^16 times the first and the second, which is
 * left below 2^16. The first holds all sums of weights whose magnitudes add up to less than 2^48. A call has
 * at most 2^15 taps, so that the second does not overflow on the way.
 */
export function addWideInts(x: usize, w: usize, taps: i32, wide: usize, count: i32): void {
  const wEnd = w + <usize>taps * 4;
  for (const end = x + <usize>count * 4; x < end; x += 4) {
    let upper = load<i64>(wide);
    let lower = load<i64>(wide, 8);
    let at = x;
    for (let tap = w; tap < wEnd; tap += 4) {
      const sample = <i64>load<i32>(at);
      const weight = load<i32>(tap);
      upper += sample * <i64>(weight >> 16);
      lower += sample * <i64>(weight & 0xffff);
      at += 4;
    }
    store<i64>(wide, upper + (lower >> 16));
    store<i64>(wide, lower & 0xffff, 8);
    wide += 16;
  }
}

/** Returns the first of such sums that is no i32, or -1. */
export function firstOverflow(wide: usize, count: i32): i32 {
  for (let i = 0; i < count; i++) {
    const upper = load<i64>(wide);
    if (upper < -0x8000 || upper > 0x7fff) return i;
    wide += 16;
  }
  return -1;
}
