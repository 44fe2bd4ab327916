/**
 * This is the first comparison of `knn.filter` with the core dot. Rows are quantized to 16 bits, of which an
 * instruction and an addition take eight columns, where they take four of float32. A pair whose low end is
 * certain to exceed the limit is left out; all others are compared whole (pair.ts).
 *
 * Steps: a row x of length |x| becomes integers X, each of which stands for a step of |x| / STEPS. The error
 * of a row is e with |x - |x| / STEPS X| <= e |x|.
 *
 * Bound: for rows x, y of errors e, f the products differ by
 * |xy - |x| |y| / STEPS^2 XY| <= |x| |y| (e + f + e f), by Cauchy-Schwarz.
 *   Integers: one is x_i STEPS / |x|, rounded, so that none is beyond STEPS, and |X| <= STEPS + sqrt(d) / 2
 *   for d columns: no sum of some of the products XY leaves 32 bits, again by Cauchy-Schwarz.
 *   Error: x_i STEPS / |x| is computed with a factor and a product that are rounded, 2^-23 relative, and
 *   means a step that is rounded, 2^-24: together they move a row by STEPS (2^-23 + 2^-24) < 0.006 steps,
 *   less than ROUNDING. The length of what is rounded off is the root of a sum in float32, whose error is
 *   inside ENLARGE up to 2^14 columns.
 *   Low ends: a pair is compared later with value - half, with a sum in float32, which errs by half at most:
 *   that is the purpose of half (distance/bound/bound.ts). So value - 2 half without that error is no more.
 *   Half, and all that is largest in a tile, stand for those of each reference. Evaluating a low end here
 *   rounds eight times, each time at most 2^-24 of the sum of all terms' magnitudes: EVALUATION.
 *   Lengths of SHORTEST and more keep products of two, and the steps of such, normal.
 */
import { limitOf } from "./list";
import { QUERIES, REFS } from "../../../../distance/wasm/pack";
import { metaPitch, offerPair, queryMeta, refMeta, slack, weight } from "./pair";
import { sweepQuantized } from "../../../../distance/wasm/tile";

const STEPS: f32 = 32766;
/** Lengths lie between 2^-55 and 2^60, so that products of two are far from what float32 cannot hold. */
const SHORTEST: f64 = 2.7755575615628914e-17;
const LONGEST: f64 = 1152921504606846976.0;
/** Rounding moves a whole row by at most this many steps. */
const ROUNDING: f32 = 0.03125;
/** Evaluating a low end has at most this relative error, 2^-19. */
const EVALUATION: f32 = 1.9073486328125e-6;
/** This factor covers the rounding of products and roots of bounds. */
const ENLARGE: f32 = 1.0009765625;

let queryBases: usize = 0;
let queryBaseStep: usize = 0;
let queryScales: usize = 0;
let queryErrors: usize = 0;
let refBases: usize = 0;
let refScales: usize = 0;
let refErrors: usize = 0;
let values: usize = 0;

/** The tile visited has these largest magnitudes. */
let mostError: f32 = 0;
let mostLength: f32 = 0;
let mostBase: f32 = 0;
let mostProduct: f32 = 0;
let mostMargin: f32 = 0;

/**
 * Takes the addresses of the rows that are summed, which need not be those of the metas. Bases f32 [query],
 * `step` bytes apart, and f32 [ref]; scales and errors f32 [query] and [ref], as quantizeRows wrote them;
 * values i32 [QUERIES][refs rounded up to REFS].
 */
export function placeQuantized(
  queryBases_: usize,
  step: usize,
  queryScales_: usize,
  queryErrors_: usize,
  refBases_: usize,
  refScales_: usize,
  refErrors_: usize,
  values_: usize,
): void {
  queryBases = queryBases_;
  queryBaseStep = step;
  queryScales = queryScales_;
  queryErrors = queryErrors_;
  refBases = refBases_;
  refScales = refScales_;
  refErrors = refErrors_;
  values = values_;
}

/**
 * Quantizes rows f32 [count][depth], depth a multiple of 4, to i16 [count][depth]; writes scales, the length
 * of a step, and errors, f32 [count].
 * @returns false where a row cannot be quantized: one that holds NaN, is too long, or is too short without
 *   being zero
 */
export function quantizeRows(rows: usize, count: i32, depth: i32, quantized: usize, scales: usize, errors: usize): bool {
  const bytes = <usize>depth * 4;
  for (let i = 0; i < count; i++) {
    const row = rows + <usize>i * bytes;
    const length = lengthOf(row, bytes);
    if (length != 0 && !(length >= SHORTEST && length <= LONGEST)) return false;
    const steps = length == 0 ? <f32>0 : <f32>(<f64>STEPS / length);
    const rest = quantizeRow(row, bytes, steps, quantized + <usize>i * (bytes >> 1));
    store<f32>(scales + <usize>i * 4, <f32>(length / <f64>STEPS));
    store<f32>(errors + <usize>i * 4, (rest * ENLARGE + ROUNDING) / STEPS);
  }
  return true;
}

function lengthOf(row: usize, bytes: usize): f64 {
  let a = f64x2.splat(0), b = a;
  for (const end = row + bytes; row < end; row += 16) {
    const x = v128.load(row);
    const low = f64x2.promote_low_f32x4(x);
    const high = f64x2.promote_low_f32x4(v128.shuffle<i64>(x, x, 1, 0));
    a = f64x2.add(a, f64x2.mul(low, low));
    b = f64x2.add(b, f64x2.mul(high, high));
  }
  const sum = f64x2.add(a, b);
  return Math.sqrt(f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1));
}

/** Quantizes one row. @returns the length of what is rounded off, in steps */
function quantizeRow(row: usize, bytes: usize, steps: f32, quantized: usize): f32 {
  const factor = f32x4.splat(steps);
  let sum = f32x4.splat(0);
  for (const end = row + bytes; row < end; row += 16, quantized += 8) {
    const exact = f32x4.mul(v128.load(row), factor);
    const near = f32x4.nearest(exact);
    const rest = f32x4.sub(exact, near);
    sum = f32x4.add(sum, f32x4.mul(rest, rest));
    const integers = i32x4.trunc_sat_f32x4_s(near);
    v128.store64_lane(quantized, i16x8.narrow_i32x4_s(integers, integers), 0);
  }
  return Mathf.sqrt(
    f32x4.extract_lane(sum, 0) +
      f32x4.extract_lane(sum, 1) +
      (f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3)),
  );
}

/**
 * Offers a tile of references to the lists. It is packed as float32 are, each entry a pair of columns: i16
 * [tile][pairs][QUERIES][2] and [group][pairs][REFS][2].
 * @returns the number of pairs compared whole
 */
export function visitQuantized(queries: usize, count: i32, refs: usize, refRows: i32, pairs: i32, refIndex: u32): i32 {
  const groups = (refRows + REFS - 1) / REFS;
  const pitch = <usize>groups * REFS * 4;
  surveyTile(refRows);
  let whole = 0;
  for (let begin = 0; begin < count; begin += QUERIES) {
    sweepQuantized(queries, refs, groups, pairs, values, pitch);
    const end = min(begin + QUERIES, count);
    for (let query = begin; query < end; query++) {
      whole += offerQuantized(query, values + <usize>(query - begin) * pitch, refRows, refIndex);
    }
    queries += <usize>pairs * QUERIES * 4;
  }
  return whole;
}

function surveyTile(refRows: i32): void {
  mostError = mostOf(refErrors, refRows);
  mostLength = mostOf(refScales, refRows) * STEPS;
  mostBase = mostOf(refBases, refRows);
  mostProduct = mostOf(refMeta + metaPitch, refRows);
  mostMargin = mostOf(refMeta + 2 * metaPitch, refRows);
}

/** Returns the largest magnitude; NaN where there is a NaN. */
function mostOf(at: usize, count: i32): f32 {
  let most: f32 = 0;
  for (let i = 0; i < count; i++) most = max(most, abs(load<f32>(at + <usize>i * 4)));
  return most;
}

/**
 * Returns how far the low ends of a query may be below what their sums say, apart from the part that grows
 * with the length of the other row.
 */
function allowanceOf(query: i32, base: f32, length: f32): f32 {
  const meta = queryMeta + <usize>query * 16;
  const terms = abs(base) + mostBase + abs(weight) * length * mostLength * ENLARGE;
  const half = slack * terms + load<f32>(meta, 4) * mostProduct + load<f32>(meta, 8) + mostMargin;
  return 2 * half * ENLARGE + EVALUATION * terms;
}

function offerQuantized(query: i32, row: usize, refRows: i32, refIndex: u32): i32 {
  const base = load<f32>(queryBases + <usize>query * queryBaseStep);
  const scale = load<f32>(queryScales + <usize>query * 4);
  const error = load<f32>(queryErrors + <usize>query * 4);
  const length = scale * STEPS;
  const allowance = allowanceOf(query, base, length);
  const factor = weight * scale;
  const rounding = abs(weight) * length * STEPS * (error + mostError + error * mostError) * ENLARGE;
  let whole = 0;
  let ref = 0;
  while (true) {
    const limit = limitOf(query) + (allowance - base);
    ref = nextPossible(row, refBases, refScales, ref, refRows, f32x4.splat(factor), f32x4.splat(rounding), f32x4.splat(limit));
    if (ref >= refRows) break;
    for (const end = min(ref + REFS, refRows); ref < end; ref++) {
      const at = <usize>ref * 4;
      const terms = factor * <f32>load<i32>(row + at) - rounding;
      if (load<f32>(refBases + at) + load<f32>(refScales + at) * terms > limit) continue;
      offerPair(query, ref, refIndex);
      whole++;
    }
  }
  return whole;
}

/**
 * Returns the first group from `ref` on with a low end that is not beyond the limit, `end` or above if there
 * is none. It is a function of its own, with all that it needs as arguments: V8 computes constants of a loop
 * anew in every iteration if they are made in the same function.
 */
function nextPossible(
  sums: usize,
  bases: usize,
  scales: usize,
  ref: i32,
  end: i32,
  factor: v128,
  rounding: v128,
  limit: v128,
): i32 {
  for (; ref < end; ref += REFS) {
    const at = <usize>ref * 4;
    const a = lowsOf(sums + at, bases + at, scales + at, factor, rounding);
    const b = lowsOf(sums + at + 16, bases + at + 16, scales + at + 16, factor, rounding);
    if (i32x4.bitmask(v128.and(f32x4.gt(a, limit), f32x4.gt(b, limit))) != 15) return ref;
  }
  return ref;
}

/** Returns the low ends of four references, without the base of the query and the allowance. */
@inline
function lowsOf(sums: usize, bases: usize, scales: usize, factor: v128, rounding: v128): v128 {
  const terms = f32x4.sub(f32x4.mul(factor, f32x4.convert_i32x4_s(v128.load(sums))), rounding);
  return f32x4.add(v128.load(bases), f32x4.mul(v128.load(scales), terms));
}
