/**
 * This module makes the terms that one column of a pair adds to a sum: of numbers, of codes, and of either
 * where rows have gaps. They are inlined with constants as arguments, so that only what a sweep needs is
 * compiled.
 */
export const DOT: i32 = 0;
export const L2: i32 = 1;
export const L1: i32 = 2;
export const LINF: i32 = 3;
export const LP: i32 = 4;
/** It is added to a core of differences for columns of codes, which add `unit` where they differ. */
export const CODES: i32 = 8;
/**
 * Marks columns of codes of which two counts are kept in one sum: those that differ, and in units of EQUAL
 * those that are equal and not FALSE.
 */
export const PAIRS: i32 = 16;
/** Marks integers of 16 bits, two columns at a time, with sums of 32 bits. */
export const QUANTIZED: i32 = 32;
const FALSE: f32 = -3;
const EQUAL: f32 = 4096;

/** A larger difference is that of a gap. */
const GAP_DIFFERENCE: f32 = 2305843009213693952.0;

let unit: v128 = f32x4.splat(0);
let mark: v128 = f32x4.splat(0);
let gap: v128 = f32x4.splat(0);

export function configureColumns(unit_: f32, mark_: f32): void {
  unit = f32x4.splat(unit_);
  mark = f32x4.splat(mark_);
  gap = f32x4.splat(GAP_DIFFERENCE);
}

/** Adds the term of a column. @param core one of the cores, with CODES for columns of codes, or QUANTIZED */
@inline
export function term(core: i32, gaps: bool, sum: v128, q: v128, r: v128): v128 {
  if (core == DOT) return multiplyAdd(q, r, sum);
  if (core == QUANTIZED) return i32x4.add(sum, i32x4.dot_i16x8_s(q, r));
  const more = core & PAIRS
    ? f32x4.add(sum, counted(q, r))
    : core & CODES
      ? f32x4.add(sum, v128.and(unit, f32x4.ne(q, r)))
      : added(core, sum, f32x4.sub(q, r));
  if (!gaps) return more;
  const there = f32x4.lt(f32x4.abs(f32x4.sub(q, r)), gap);
  if (core & PAIRS) return v128.bitselect(more, sum, there);
  return v128.bitselect(added(core & ~CODES, more, mark), sum, there);
}

@inline
function counted(q: v128, r: v128): v128 {
  const equal = v128.and(f32x4.splat(EQUAL), f32x4.ne(q, f32x4.splat(FALSE)));
  return v128.bitselect(f32x4.splat(1), equal, f32x4.ne(q, r));
}

/**
 * Returns u / (u + e) of such sums of u + EQUAL * e; NaN where both are 0. Unequal quotients round to
 * different ones up to EQUAL - 1 columns.
 */
@inline
export function quotientsOf(sums: v128): v128 {
  const equal = f32x4.floor(f32x4.mul(sums, f32x4.splat(1 / EQUAL)));
  const unequal = f32x4.sub(sums, f32x4.mul(equal, f32x4.splat(EQUAL)));
  return f32x4.div(unequal, f32x4.add(unequal, equal));
}

@inline
function added(core: i32, sum: v128, difference: v128): v128 {
  if (core == L2) return multiplyAdd(difference, difference, sum);
  if (core == L1) return f32x4.add(sum, f32x4.abs(difference));
  return f32x4.pmax(sum, f32x4.abs(difference));
}

@inline
export function multiplyAdd(a: v128, b: v128, sum: v128): v128 {
  // @ts-ignore: RELAXED is defined by the build
  if (RELAXED) return f32x4.relaxed_madd(a, b, sum);
  return f32x4.add(sum, f32x4.mul(a, b));
}
