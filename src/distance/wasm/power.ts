/**
 * Computes x^p for four float32 at a time, x >= 0, as 2^(p log2 x). For results in [2^-126, 2^126] the
 * relative error is below (p + 150) 2^-23: three roundings of an exponent up to 126, and the series. That is
 * well inside the (6p + 700) 2^-23 that distance/bound/bound.ts allows. An x or a result below the smallest
 * normal float32 counts as 0, a result from 2^128 on as Infinity.
 */
const TINY: f32 = 1.1754943508222875e-38;

/**
 * The factors are 2 / ln 2 / (2i + 1): the series of log2 in t = (m - 1) / (m + 1), |t| < 0.172, ends below
 * 2^-28.
 */
const L1: f32 = 2.8853900817779268;
const L3: f32 = 0.9617966939259756;
const L5: f32 = 0.5770780163555854;
const L7: f32 = 0.41219858311113244;
const L9: f32 = 0.3205988979753252;

/** The factors are ln(2)^i / i!: the series of 2^f, |f| <= 0.5, ends below 2^-22. */
const E1: f32 = 0.6931471805599453;
const E2: f32 = 0.24022650695910072;
const E3: f32 = 0.05550410866482158;
const E4: f32 = 0.009618129107628477;
const E5: f32 = 0.0013333558146428443;
const E6: f32 = 0.00015403530393381608;

@inline
export function power(x: v128, p: v128): v128 {
  const y = f32x4.mul(p, log2(x));
  const positive = v128.and(f32x4.ge(x, f32x4.splat(TINY)), f32x4.ge(y, f32x4.splat(-126)));
  const result = exp2(f32x4.pmin(f32x4.pmax(y, f32x4.splat(-126)), f32x4.splat(127.99)));
  const bounded = v128.bitselect(f32x4.splat(<f32>Infinity), result, f32x4.ge(y, f32x4.splat(128)));
  return v128.and(bounded, positive);
}

/** Splits x into 2^e * m with m in [sqrt(1/2), sqrt(2)). */
@inline
function log2(x: v128): v128 {
  const e = i32x4.shr_s(i32x4.sub(x, i32x4.splat(0x3f3504f3)), 23);
  const m = i32x4.sub(x, i32x4.shl(e, 23));
  const one = f32x4.splat(1);
  const t = f32x4.div(f32x4.sub(m, one), f32x4.add(m, one));
  const s = f32x4.mul(t, t);
  let series = f32x4.splat(L9);
  series = next(series, s, L7);
  series = next(series, s, L5);
  series = next(series, s, L3);
  series = next(series, s, L1);
  return f32x4.add(f32x4.convert_i32x4_s(e), f32x4.mul(series, t));
}

/** Returns 2^y for y in [-126, 128). */
@inline
function exp2(y: v128): v128 {
  const whole = f32x4.nearest(y);
  const f = f32x4.sub(y, whole);
  let series = f32x4.splat(E6);
  series = next(series, f, E5);
  series = next(series, f, E4);
  series = next(series, f, E3);
  series = next(series, f, E2);
  series = next(series, f, E1);
  series = next(series, f, 1);
  return i32x4.add(series, i32x4.shl(i32x4.trunc_sat_f32x4_s(whole), 23));
}

/** Takes a series one term further towards its constant. */
@inline
function next(series: v128, x: v128, factor: f32): v128 {
  return f32x4.add(f32x4.mul(series, x), f32x4.splat(factor));
}
