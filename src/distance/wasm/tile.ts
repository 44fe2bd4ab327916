/**
 * These inner loops sum over the depth for one tile of QUERIES packed queries against groups of REFS packed
 * references. Who sweeps makes values of the sums, with bases, weights and intervals. Every sum runs over the
 * depth in its order, so that what a sweep makes of a pair does not depend on the tile that holds it.
 */
import { QUERIES, REFS } from "./pack";
import { power } from "./power";
import { DOT, L1, L2, LINF, multiplyAdd, QUANTIZED, term } from "./terms";

/** Writes, or with `resume` continues, f32 values [QUERIES][groups * REFS], rows `pitch` bytes apart. */
export function sweep(
  core: i32,
  p: f32,
  queries: usize,
  refs: usize,
  groups: i32,
  depth: i32,
  values: usize,
  pitch: usize,
  resume: bool,
): void {
  switch (core) {
    case DOT:
      return sweepDot(queries, refs, groups, depth, values, pitch, resume);
    case L2:
      return sweepL2(queries, refs, groups, depth, values, pitch, resume);
    case L1:
      return sweepL1(queries, refs, groups, depth, values, pitch, resume);
    case LINF:
      return sweepLinf(queries, refs, groups, depth, values, pitch, resume);
    default:
      return sweepLp(p, queries, refs, groups, depth, values, pitch, resume);
  }
}

/**
 * Sums the core dot for pairs of integers of 16 bits, which a depth step takes in place of a float32; writes
 * i32.
 */
export function sweepQuantized(q: usize, r: usize, groups: i32, depth: i32, out: usize, pitch: usize): void {
  tiles(QUANTIZED, false, q, r, groups, depth, 0, out, pitch, false);
}

function sweepDot(q: usize, r: usize, groups: i32, depth: i32, out: usize, pitch: usize, resume: bool): void {
  tiles(DOT, false, q, r, groups, depth, 0, out, pitch, resume);
}

function sweepL2(q: usize, r: usize, groups: i32, depth: i32, out: usize, pitch: usize, resume: bool): void {
  tiles(L2, false, q, r, groups, depth, 0, out, pitch, resume);
}

function sweepL1(q: usize, r: usize, groups: i32, depth: i32, out: usize, pitch: usize, resume: bool): void {
  tiles(L1, false, q, r, groups, depth, 0, out, pitch, resume);
}

function sweepLinf(q: usize, r: usize, groups: i32, depth: i32, out: usize, pitch: usize, resume: bool): void {
  tiles(LINF, false, q, r, groups, depth, 0, out, pitch, resume);
}

/**
 * Sums with eight accumulators, which each depth step feeds by two loads of references and one splat per
 * query.
 * @param skip bytes of a group's references that belong to other columns
 */
@inline
export function tiles(
  core: i32,
  gaps: bool,
  queries: usize,
  refs: usize,
  groups: i32,
  depth: i32,
  skip: usize,
  values: usize,
  pitch: usize,
  resume: bool,
): void {
  for (let group = 0; group < groups; group++) {
    const v0 = values + <usize>group * (REFS * 4);
    const v1 = v0 + pitch;
    const v2 = v1 + pitch;
    const v3 = v2 + pitch;
    let a0 = f32x4.splat(0);
    let a1 = a0, a2 = a0, a3 = a0;
    let b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    if (resume) {
      a0 = v128.load(v0), b0 = v128.load(v0, 16);
      a1 = v128.load(v1), b1 = v128.load(v1, 16);
      a2 = v128.load(v2), b2 = v128.load(v2, 16);
      a3 = v128.load(v3), b3 = v128.load(v3, 16);
    }
    let q = queries;
    for (let d = 0; d < depth; d++) {
      const r = v128.load(refs);
      const s = v128.load(refs, 16);
      const q0 = v128.load32_splat(q, 0);
      a0 = term(core, gaps, a0, q0, r), b0 = term(core, gaps, b0, q0, s);
      const q1 = v128.load32_splat(q, 4);
      a1 = term(core, gaps, a1, q1, r), b1 = term(core, gaps, b1, q1, s);
      const q2 = v128.load32_splat(q, 8);
      a2 = term(core, gaps, a2, q2, r), b2 = term(core, gaps, b2, q2, s);
      const q3 = v128.load32_splat(q, 12);
      a3 = term(core, gaps, a3, q3, r), b3 = term(core, gaps, b3, q3, s);
      q += QUERIES * 4;
      refs += REFS * 4;
    }
    v128.store(v0, a0), v128.store(v0, b0, 16);
    v128.store(v1, a1), v128.store(v1, b1, 16);
    v128.store(v2, a2), v128.store(v2, b2, 16);
    v128.store(v3, a3), v128.store(v3, b3, 16);
    refs += skip;
  }
}

/**
 * Returns the dot product of two rows of `bytes` bytes, a multiple of 16, in four sums of every fourth
 * vector.
 */
export function dotOf(q: usize, r: usize, bytes: usize): f32 {
  let a = f32x4.splat(0), b = a, c = a, d = a;
  const whole = bytes & ~63;
  const end = q + whole;
  for (; q < end; q += 64, r += 64) {
    a = multiplyAdd(v128.load(q), v128.load(r), a);
    b = multiplyAdd(v128.load(q, 16), v128.load(r, 16), b);
    c = multiplyAdd(v128.load(q, 32), v128.load(r, 32), c);
    d = multiplyAdd(v128.load(q, 48), v128.load(r, 48), d);
  }
  for (let at = whole; at < bytes; at += 16, q += 16, r += 16) a = multiplyAdd(v128.load(q), v128.load(r), a);
  const sum = f32x4.add(f32x4.add(a, b), f32x4.add(c, d));
  return (
    f32x4.extract_lane(sum, 0) +
    f32x4.extract_lane(sum, 1) +
    (f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3))
  );
}

/** Sums powers. They take most of the time, so that one accumulator at a time suffices. */
function sweepLp(
  p: f32,
  queries: usize,
  refs: usize,
  groups: i32,
  depth: i32,
  values: usize,
  pitch: usize,
  resume: bool,
): void {
  const exponent = f32x4.splat(p);
  const groupBytes = <usize>depth * (REFS * 4);
  for (let group = 0; group < groups; group++) {
    for (let i = 0; i < QUERIES; i++) {
      for (let half = 0; half < REFS * 4; half += 16) {
        const out = values + <usize>i * pitch + <usize>(group * REFS * 4 + half);
        let sum = resume ? v128.load(out) : f32x4.splat(0);
        let q = queries + <usize>i * 4;
        let r = refs + <usize>half;
        for (let d = 0; d < depth; d++) {
          sum = f32x4.add(sum, power(f32x4.abs(f32x4.sub(v128.load32_splat(q), v128.load(r))), exponent));
          q += QUERIES * 4;
          r += REFS * 4;
        }
        v128.store(out, sum);
      }
    }
    refs += groupBytes;
  }
}
