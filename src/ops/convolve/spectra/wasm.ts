/**
 * This module transforms n = 4^k complex points of float32 in place, with the real and the imaginary parts in
 * arrays of their own. Spectra lie in an order of their own, the only one that `multiplySpectra` and
 * `transformBack` take.
 *
 * A layer replaces four points a quarter of a block apart by their sums times twiddle factors. Layers go from
 * quarters of n points down to quarters of one, where sixteen points that follow each other are transposed
 * first so that they can be added in vectors; they stay so. `twiddles` has six arrays for each layer but the
 * last, of a quarter each: cosine and sine of -2 pi j / (4 quarter) for j = 0, 1, ..., then those of 2 j and
 * of 3 j.
 */

export function transformForth(re: usize, im: usize, n: i32, twiddles: usize): void {
  const bytes = <usize>n * 4;
  let quarter = bytes / 4;
  while (quarter >= 16) {
    for (let block: usize = 0; block < bytes; block += 4 * quarter) {
      for (let j: usize = 0; j < quarter; j += 16) {
        forth(re + block + j, im + block + j, quarter, twiddles + j, true);
      }
    }
    twiddles += 6 * quarter;
    quarter >>= 2;
  }
  for (let at: usize = 0; at < bytes; at += 64) {
    transpose(re + at);
    transpose(im + at);
    forth(re + at, im + at, 16, 0, false);
  }
}

/** This is the inverse but for a factor of n. */
export function transformBack(re: usize, im: usize, n: i32, twiddles: usize): void {
  const bytes = <usize>n * 4;
  for (let at: usize = 0; at < bytes; at += 64) {
    back(re + at, im + at, 16, 0, false);
    transpose(re + at);
    transpose(im + at);
  }
  // Arrays of all layers together take 6 (n / 4 + n / 16 + ... + 4) floats.
  twiddles += 2 * bytes - 32;
  for (let quarter: usize = 16; quarter < bytes; quarter <<= 2) {
    twiddles -= 6 * quarter;
    for (let block: usize = 0; block < bytes; block += 4 * quarter) {
      for (let j: usize = 0; j < quarter; j += 16) {
        back(re + block + j, im + block + j, quarter, twiddles + j, true);
      }
    }
  }
}

/** Sixteen points become the four first of four, the four second, and so on. */
@inline
function transpose(x: usize): void {
  const a = v128.load(x);
  const b = v128.load(x, 16);
  const c = v128.load(x, 32);
  const d = v128.load(x, 48);
  const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
  const abAfter = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
  const cdAfter = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
  v128.store(x, v128.shuffle<f32>(ab, cd, 0, 1, 4, 5));
  v128.store(x, v128.shuffle<f32>(ab, cd, 2, 3, 6, 7), 16);
  v128.store(x, v128.shuffle<f32>(abAfter, cdAfter, 0, 1, 4, 5), 32);
  v128.store(x, v128.shuffle<f32>(abAfter, cdAfter, 2, 3, 6, 7), 48);
}

/** Adds four points up to four sums, four times. */
@inline
function forth(re: usize, im: usize, quarter: usize, twiddles: usize, isTwiddled: bool): void {
  const ar = v128.load(re);
  const ai = v128.load(im);
  const br = v128.load(re + quarter);
  const bi = v128.load(im + quarter);
  const cr = v128.load(re + 2 * quarter);
  const ci = v128.load(im + 2 * quarter);
  const dr = v128.load(re + 3 * quarter);
  const di = v128.load(im + 3 * quarter);
  const evenR = f32x4.add(ar, cr);
  const evenI = f32x4.add(ai, ci);
  const oddR = f32x4.add(br, dr);
  const oddI = f32x4.add(bi, di);
  const leftR = f32x4.sub(ar, cr);
  const leftI = f32x4.sub(ai, ci);
  const rightR = f32x4.sub(bi, di);
  const rightI = f32x4.sub(dr, br);
  v128.store(re, f32x4.add(evenR, oddR));
  v128.store(im, f32x4.add(evenI, oddI));
  put(re + quarter, im + quarter, f32x4.add(leftR, rightR), f32x4.add(leftI, rightI), twiddles, quarter, isTwiddled);
  put(re + 2 * quarter, im + 2 * quarter, f32x4.sub(evenR, oddR), f32x4.sub(evenI, oddI), twiddles + 2 * quarter, quarter, isTwiddled);
  put(re + 3 * quarter, im + 3 * quarter, f32x4.sub(leftR, rightR), f32x4.sub(leftI, rightI), twiddles + 4 * quarter, quarter, isTwiddled);
}

/** Stores points times twiddle factors, whose cosines and sines are a quarter apart. */
@inline
function put(re: usize, im: usize, x: v128, y: v128, twiddles: usize, quarter: usize, isTwiddled: bool): void {
  if (isTwiddled) {
    const c = v128.load(twiddles);
    const s = v128.load(twiddles + quarter);
    v128.store(re, f32x4.sub(f32x4.mul(x, c), f32x4.mul(y, s)));
    v128.store(im, f32x4.add(f32x4.mul(x, s), f32x4.mul(y, c)));
  } else {
    v128.store(re, x);
    v128.store(im, y);
  }
}

/** This is the inverse of `forth` but for a factor of four. */
@inline
function back(re: usize, im: usize, quarter: usize, twiddles: usize, isTwiddled: bool): void {
  const ar = v128.load(re);
  const ai = v128.load(im);
  let br = v128.load(re + quarter);
  let bi = v128.load(im + quarter);
  let cr = v128.load(re + 2 * quarter);
  let ci = v128.load(im + 2 * quarter);
  let dr = v128.load(re + 3 * quarter);
  let di = v128.load(im + 3 * quarter);
  if (isTwiddled) {
    let c = v128.load(twiddles);
    let s = v128.load(twiddles + quarter);
    const b = br;
    br = f32x4.add(f32x4.mul(b, c), f32x4.mul(bi, s));
    bi = f32x4.sub(f32x4.mul(bi, c), f32x4.mul(b, s));
    c = v128.load(twiddles + 2 * quarter);
    s = v128.load(twiddles + 3 * quarter);
    const e = cr;
    cr = f32x4.add(f32x4.mul(e, c), f32x4.mul(ci, s));
    ci = f32x4.sub(f32x4.mul(ci, c), f32x4.mul(e, s));
    c = v128.load(twiddles + 4 * quarter);
    s = v128.load(twiddles + 5 * quarter);
    const d = dr;
    dr = f32x4.add(f32x4.mul(d, c), f32x4.mul(di, s));
    di = f32x4.sub(f32x4.mul(di, c), f32x4.mul(d, s));
  }
  const evenR = f32x4.add(ar, cr);
  const evenI = f32x4.add(ai, ci);
  const oddR = f32x4.add(br, dr);
  const oddI = f32x4.add(bi, di);
  const leftR = f32x4.sub(ar, cr);
  const leftI = f32x4.sub(ai, ci);
  const rightR = f32x4.sub(di, bi);
  const rightI = f32x4.sub(br, dr);
  v128.store(re, f32x4.add(evenR, oddR));
  v128.store(im, f32x4.add(evenI, oddI));
  v128.store(re + quarter, f32x4.add(leftR, rightR));
  v128.store(im + quarter, f32x4.add(leftI, rightI));
  v128.store(re + 2 * quarter, f32x4.sub(evenR, oddR));
  v128.store(im + 2 * quarter, f32x4.sub(evenI, oddI));
  v128.store(re + 3 * quarter, f32x4.sub(leftR, rightR));
  v128.store(im + 3 * quarter, f32x4.sub(leftI, rightI));
}

/**
 * Products of two spectra: n real parts and n imaginary ones after them, each. @param add whether the
 * products are added to what is in y
 */
export function multiplySpectra(x: usize, h: usize, y: usize, n: i32, add: bool): void {
  const half = <usize>n * 4;
  for (const end = x + half; x < end; x += 16) {
    const xr = v128.load(x);
    const xi = v128.load(x + half);
    const hr = v128.load(h);
    const hi = v128.load(h + half);
    let r = f32x4.sub(f32x4.mul(xr, hr), f32x4.mul(xi, hi));
    let i = f32x4.add(f32x4.mul(xr, hi), f32x4.mul(xi, hr));
    if (add) {
      r = f32x4.add(v128.load(y), r);
      i = f32x4.add(v128.load(y + half), i);
    }
    v128.store(y, r);
    v128.store(y + half, i);
    h += 16;
    y += 16;
  }
}
