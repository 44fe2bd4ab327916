/**
 * This is `knn.filter` for one block of queries and one tile of references after another, by
 * contract/filter.ts. The caller configures the module, places its arrays, begins, visits the tiles in
 * ascending order of reference, and finishes. ../filterTask.ts decides which rows make a tile, and where the
 * arrays come from.
 */
import { append, closeLists, configureLists, limitOf, openLists, placeLists } from "./list";
import { sweepMixed } from "./mixed";
import { QUERIES, REFS } from "../../../../distance/wasm/pack";
import { configurePairs, metaPitch, offerPair, placeMetas, placeRows, queryMeta, refMeta, slack, weight } from "./pair";
import { configureColumns, DOT, quotientsOf } from "../../../../distance/wasm/terms";
import { sweep } from "../../../../distance/wasm/tile";

/** Rows that have nothing in common have this value, as in distance/contract/mixed.ts: 2^120. */
const NOTHING_COMMON: f32 = 1.329227995784915872903807e36;

let core: i32 = 0;
let p: f32 = 0;
let cut: bool = false;
/** With `knn.mixedFilter` this many entries of a row are codes; -1 for rows of numbers without gaps. */
let codes: i32 = -1;
let gaps: bool = false;
let marked: bool = false;
let counts: bool = false;
let quotient: bool = false;
/** A pair that has nothing to count has this value. */
let neither: f32 = 0;
/** Sums that are rescaled have this many columns in a row; others 0. */
let columns: f32 = 0;
/** `knn.powerFilter` shifts by this; other filters have one factor and no shift. */
let shift: f32 = 0;
let times: i32 = 1;
/** This column of the rows is visited next. */
let column: i32 = 0;
let values: usize = 0;
/** The lows and highs of four lanes lie here, f32 [8]. */
let lanes: usize = 0;
/**
 * Says whether sketches are summed; the rows themselves are read only where a sketch does not rule a pair
 * out.
 */
let sketched: bool = false;
let queryFloors: usize = 0;
let refFloors: usize = 0;

export function configure(
  core_: i32,
  p_: f32,
  weight_: f32,
  slack_: f32,
  cut_: bool,
  keepAll: bool,
  k: u32,
  capacity: u32,
  room: u32,
): void {
  core = core_;
  p = p_;
  configurePairs(core_ == DOT ? weight_ : 1, slack_);
  cut = cut_;
  sketched = false;
  codes = -1;
  marked = false;
  quotient = false;
  columns = 0;
  times = 1;
  configureLists(cut_, keepAll, k, capacity, room);
}

/** Follows `configure` where rows hold codes or have gaps, as in distance/contract/mixed.ts. */
export function configureMixed(
  codes_: i32,
  unit: f32,
  gaps_: bool,
  mark: f32,
  counts_: bool,
  quotient_: bool,
  neither_: f32,
  columns_: f32,
): void {
  codes = codes_;
  gaps = gaps_;
  marked = mark > 0;
  counts = counts_;
  quotient = quotient_;
  neither = neither_;
  columns = columns_;
  configureColumns(unit, mark);
}

/** Follows `configure` where values are powers, as in distance/contract/power.ts. */
export function configurePower(shift_: f32, times_: i32): void {
  shift = shift_;
  times = times_;
}

/**
 * Takes the addresses: queryMeta f32 [query][4]; refMeta three arrays of `pitch` bytes as splitMeta wrote
 * them; values f32 [query or QUERIES][refs rounded up to REFS]; lanes 32 bytes; the rest as in placeLists.
 */
export function place(
  queryMeta_: usize,
  refMeta_: usize,
  pitch: usize,
  values_: usize,
  lanes_: usize,
  heads: usize,
  marks: usize,
  candidates: usize,
  intervals: usize,
  scratch: usize,
): void {
  placeMetas(queryMeta_, refMeta_, pitch);
  values = values_;
  lanes = lanes_;
  placeLists(heads, marks, candidates, intervals, scratch);
}

/**
 * Sums sketches instead of rows from now on: see ops/knn/contract/sketch.ts. Rows are as placeRows has them;
 * floors are f32 [query] and [ref].
 */
export function placeSketched(queries: usize, refs: usize, bytes: usize, queryFloors_: usize, refFloors_: usize): void {
  placeRows(queries, refs, bytes);
  sketched = true;
  queryFloors = queryFloors_;
  refFloors = refFloors_;
}

export function begin(count: i32): void {
  openLists(count);
}

export function finish(count: i32): void {
  closeLists(count);
}

/**
 * Adds `depth` columns of a tile of references to the values, and after the `last` columns offers them to the
 * lists. When the first columns are also the last, `values` holds one tile of queries at a time, else all.
 */
export function visit(
  queries: usize,
  count: i32,
  refs: usize,
  refRows: i32,
  depth: i32,
  first: bool,
  last: bool,
  refIndex: u32,
): void {
  const groups = (refRows + REFS - 1) / REFS;
  const pitch = <usize>groups * REFS * 4;
  const tileBytes = <usize>depth * QUERIES * 4;
  if (first) column = 0;
  const leading = min(max(codes - column, 0), depth);
  let rows = values;
  for (let begin = 0; begin < count; begin += QUERIES) {
    if (codes < 0) sweep(core, p, queries, refs, groups, depth, rows, pitch, !first);
    else sweepMixed(core, quotient, gaps, queries, refs, groups, leading, depth, rows, pitch, !first);
    if (last) {
      const end = min(begin + QUERIES, count);
      for (let query = begin; query < end; query++) {
        const row = rows + <usize>(query - begin) * pitch;
        if (cut) offerValues(query, row, refRows, refIndex);
        else if (sketched) offerSketched(query, row, refRows, refIndex);
        else offerIntervals(query, row, refRows, refIndex);
      }
    }
    queries += tileBytes;
    if (!(first && last)) rows += <usize>QUERIES * pitch;
  }
  column += depth;
}

/** Offers values: rows whose value is below the limit enter the list with that value as both ends. */
function offerValues(query: i32, row: usize, refRows: i32, refIndex: u32): void {
  const base = f32x4.splat(baseOf(query));
  const factor = f32x4.splat(weight);
  let limit = f32x4.splat(limitOf(query));
  for (let ref = 0; ref < refRows; ref += 4) {
    const value = valuesOf(row, ref, base, factor);
    if (i32x4.all_true(f32x4.ge(value, limit))) continue;
    v128.store(lanes, value);
    for (let lane = 0; lane < min(4, refRows - ref); lane++) {
      const low = load<f32>(lanes + <usize>lane * 4);
      if (!(low >= limitOf(query))) append(query, refIndex + ref + lane, low, low);
    }
    limit = f32x4.splat(limitOf(query));
  }
}

/** Offers intervals: rows whose low end does not exceed the limit enter the list. */
function offerIntervals(query: i32, row: usize, refRows: i32, refIndex: u32): void {
  const base = f32x4.splat(baseOf(query));
  const factor = f32x4.splat(weight);
  const relative = f32x4.splat(slack);
  const product = f32x4.splat(load<f32>(queryMeta + <usize>query * 16, 4));
  const margin = f32x4.splat(load<f32>(queryMeta + <usize>query * 16, 8));
  let limit = f32x4.splat(limitOf(query));
  for (let ref = 0; ref < refRows; ref += 4) {
    const value = valuesOf(row, ref, base, factor);
    const meta = refMeta + <usize>ref * 4;
    const rounding = f32x4.mul(relative, f32x4.abs(value));
    const crossed = f32x4.mul(product, v128.load(meta + metaPitch));
    const margins = f32x4.add(margin, v128.load(meta + 2 * metaPitch));
    const half = f32x4.add(f32x4.add(rounding, crossed), margins);
    const low = f32x4.sub(value, half);
    if (i32x4.all_true(f32x4.gt(low, limit))) continue;
    v128.store(lanes, low);
    v128.store(lanes, f32x4.add(value, half), 16);
    for (let lane = 0; lane < min(4, refRows - ref); lane++) {
      const at = lanes + <usize>lane * 4;
      if (!(load<f32>(at) > limitOf(query))) {
        append(query, refIndex + ref + lane, load<f32>(at), load<f32>(at, 16));
      }
    }
    limit = f32x4.splat(limitOf(query));
  }
}

/**
 * Offers sketches: rows that their sketch does not rule out are compared whole, and enter the list as in
 * offerIntervals.
 */
function offerSketched(query: i32, row: usize, refRows: i32, refIndex: u32): void {
  const base = f32x4.splat(load<f32>(queryFloors + <usize>query * 4));
  const factor = f32x4.splat(weight);
  let limit = f32x4.splat(limitOf(query));
  for (let ref = 0; ref < refRows; ref += 4) {
    const bases = f32x4.add(base, v128.load(refFloors + <usize>ref * 4));
    const low = f32x4.add(bases, f32x4.mul(factor, v128.load(row + <usize>ref * 4)));
    const beyond = f32x4.gt(low, limit);
    if (i32x4.all_true(beyond)) continue;
    const out = i32x4.bitmask(beyond);
    for (let lane = 0; lane < min(4, refRows - ref); lane++) {
      if (((out >>> lane) & 1) == 0) offerPair(query, ref + lane, refIndex);
    }
    limit = f32x4.splat(limitOf(query));
  }
}

/** Returns four values from their sums; bases are zero and the weight one unless the core is dot. */
@inline
function valuesOf(row: usize, ref: i32, base: v128, factor: v128): v128 {
  const sums = v128.load(row + <usize>ref * 4);
  if (marked) return valuesOfMarked(sums);
  if (quotient) return v128.bitselect(f32x4.splat(neither), quotientsOf(sums), f32x4.eq(sums, f32x4.splat(0)));
  const others = v128.load(refMeta + <usize>ref * 4);
  if (columns > 0) return rescaled(sums, base, others);
  const bases = f32x4.add(base, others);
  return f32x4.add(bases, f32x4.mul(factor, times > 1 ? powersOf(sums) : sums));
}

@inline
function powersOf(sums: v128): v128 {
  const each = f32x4.add(sums, f32x4.splat(shift));
  let powers = each;
  for (let i = 1; i < times; i++) powers = f32x4.mul(powers, each);
  return powers;
}

/** Returns the values of marked sums. The marks of counts add up to less than one. */
@inline
function valuesOfMarked(sums: v128): v128 {
  const whole = counts ? f32x4.floor(sums) : sums;
  return v128.bitselect(f32x4.splat(NOTHING_COMMON), whole, f32x4.eq(sums, f32x4.splat(0)));
}

/** Rescales sums by the number of columns that both rows have, each of which is a bit of both bases. */
@inline
function rescaled(sums: v128, base: v128, bases: v128): v128 {
  const both = v128.and(i32x4.trunc_sat_f32x4_u(base), i32x4.trunc_sat_f32x4_u(bases));
  const common = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(both)));
  const value = f32x4.mul(sums, f32x4.div(f32x4.splat(columns), f32x4.convert_i32x4_u(common)));
  return v128.bitselect(f32x4.splat(NOTHING_COMMON), value, i32x4.eq(common, i32x4.splat(0)));
}

@inline
function baseOf(query: i32): f32 {
  return core == DOT || columns > 0 ? load<f32>(queryMeta + <usize>query * 16) : 0;
}
