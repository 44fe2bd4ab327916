/**
 * The inner loops of `knn.mixedFilter`: as tile.ts, of rows whose first columns are codes or that have gaps. What a value then
 * means is knn.ts.
 */
import { QUERIES, REFS } from "./pack";
import { L1, L2, multiplyAdd } from "./tile";

/** Differences beyond this are of a gap. */
const GAP: f32 = 2305843009213693952.0;

let unit: v128 = f32x4.splat(0);
let mark: v128 = f32x4.splat(0);
let gap: v128 = f32x4.splat(0);

export function configureColumns(unit_: f32, mark_: f32): void {
  unit = f32x4.splat(unit_);
  mark = f32x4.splat(mark_);
  gap = f32x4.splat(GAP);
}

/** As sweep; the first `codes` of the columns are codes. */
export function sweepMixed(
  core: i32,
  gaps: bool,
  queries: usize,
  refs: usize,
  groups: i32,
  codes: i32,
  depth: i32,
  values: usize,
  pitch: usize,
  resume: bool,
): void {
  if (!gaps) sweepCodes(queries, refs, groups, codes, depth, values, pitch, resume);
  else if (core == L2) sweepL2(queries, refs, groups, codes, depth, values, pitch, resume);
  else if (core == L1) sweepL1(queries, refs, groups, codes, depth, values, pitch, resume);
  else sweepLinf(queries, refs, groups, codes, depth, values, pitch, resume);
}

function sweepCodes(q: usize, r: usize, groups: i32, codes: i32, depth: i32, out: usize, pitch: usize, resume: bool): void {
  tiles(L2, false, q, r, groups, codes, depth, out, pitch, resume);
}

function sweepL2(q: usize, r: usize, groups: i32, codes: i32, depth: i32, out: usize, pitch: usize, resume: bool): void {
  tiles(L2, true, q, r, groups, codes, depth, out, pitch, resume);
}

function sweepL1(q: usize, r: usize, groups: i32, codes: i32, depth: i32, out: usize, pitch: usize, resume: bool): void {
  tiles(L1, true, q, r, groups, codes, depth, out, pitch, resume);
}

function sweepLinf(q: usize, r: usize, groups: i32, codes: i32, depth: i32, out: usize, pitch: usize, resume: bool): void {
  tiles(-1, true, q, r, groups, codes, depth, out, pitch, resume);
}

/** What a column of codes adds: `unit` where they differ. */
@inline
function code(core: i32, gaps: bool, sum: v128, q: v128, r: v128): v128 {
  if (!gaps) return f32x4.add(sum, v128.and(unit, f32x4.ne(q, r)));
  const more = f32x4.add(sum, v128.and(unit, f32x4.ne(q, r)));
  return there(core, sum, more, f32x4.abs(f32x4.sub(q, r)));
}

@inline
function term(core: i32, gaps: bool, sum: v128, q: v128, r: v128): v128 {
  const difference = f32x4.sub(q, r);
  if (!gaps) return multiplyAdd(difference, difference, sum);
  return there(core, sum, added(core, sum, difference), f32x4.abs(difference));
}

/** The sum with more and the mark, where there is no gap. */
@inline
function there(core: i32, sum: v128, more: v128, size: v128): v128 {
  return v128.bitselect(added(core, more, mark), sum, f32x4.lt(size, gap));
}

@inline
function added(core: i32, sum: v128, difference: v128): v128 {
  if (core == L2) return multiplyAdd(difference, difference, sum);
  if (core == L1) return f32x4.add(sum, f32x4.abs(difference));
  return f32x4.pmax(sum, f32x4.abs(difference));
}

@inline
function tiles(
  core: i32,
  gaps: bool,
  queries: usize,
  refs: usize,
  groups: i32,
  codes: i32,
  depth: i32,
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
    for (let d = 0; d < codes; d++) {
      const r = v128.load(refs);
      const s = v128.load(refs, 16);
      const q0 = v128.load32_splat(q, 0);
      a0 = code(core, gaps, a0, q0, r), b0 = code(core, gaps, b0, q0, s);
      const q1 = v128.load32_splat(q, 4);
      a1 = code(core, gaps, a1, q1, r), b1 = code(core, gaps, b1, q1, s);
      const q2 = v128.load32_splat(q, 8);
      a2 = code(core, gaps, a2, q2, r), b2 = code(core, gaps, b2, q2, s);
      const q3 = v128.load32_splat(q, 12);
      a3 = code(core, gaps, a3, q3, r), b3 = code(core, gaps, b3, q3, s);
      q += QUERIES * 4;
      refs += REFS * 4;
    }
    for (let d = codes; d < depth; d++) {
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
  }
}
