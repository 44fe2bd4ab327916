/**
 * These are the inner loops of `knn.mixedFilter`: they are those of tile.ts for rows whose first columns are
 * codes or that have gaps, the codes first and then the numbers. filter.ts makes values of the sums.
 */
import { QUERIES, REFS } from "../../../../distance/wasm/pack";
import { CODES, L1, L2, LINF, PAIRS } from "../../../../distance/wasm/terms";
import { tiles } from "../../../../distance/wasm/tile";

/**
 * Sums as `sweep` does, for the cores that distance/contract/mixed.ts allows; the first `codes` of the
 * columns are codes, with `pairs` all of them.
 */
export function sweepMixed(
  core: i32,
  pairs: bool,
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
  if (pairs) sweepPairs(queries, refs, groups, depth, values, pitch, resume);
  else if (!gaps) sweepWhole(queries, refs, groups, codes, depth, values, pitch, resume);
  else if (core == L2) sweepL2(queries, refs, groups, codes, depth, values, pitch, resume);
  else if (core == L1) sweepL1(queries, refs, groups, codes, depth, values, pitch, resume);
  else sweepLinf(queries, refs, groups, codes, depth, values, pitch, resume);
}

function sweepPairs(q: usize, r: usize, groups: i32, depth: i32, out: usize, pitch: usize, resume: bool): void {
  tiles(CODES | PAIRS, true, q, r, groups, depth, 0, out, pitch, resume);
}

function sweepWhole(q: usize, r: usize, groups: i32, codes: i32, depth: i32, out: usize, pitch: usize, resume: bool): void {
  both(L2, false, q, r, groups, codes, depth, out, pitch, resume);
}

function sweepL2(q: usize, r: usize, groups: i32, codes: i32, depth: i32, out: usize, pitch: usize, resume: bool): void {
  both(L2, true, q, r, groups, codes, depth, out, pitch, resume);
}

function sweepL1(q: usize, r: usize, groups: i32, codes: i32, depth: i32, out: usize, pitch: usize, resume: bool): void {
  both(L1, true, q, r, groups, codes, depth, out, pitch, resume);
}

function sweepLinf(q: usize, r: usize, groups: i32, codes: i32, depth: i32, out: usize, pitch: usize, resume: bool): void {
  both(LINF, true, q, r, groups, codes, depth, out, pitch, resume);
}

@inline
function both(
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
  const numbers = depth - codes;
  if (codes > 0) {
    tiles(core | CODES, gaps, queries, refs, groups, codes, <usize>numbers * (REFS * 4), values, pitch, resume);
  }
  if (numbers > 0) {
    const skip = <usize>codes * (REFS * 4);
    queries += <usize>codes * (QUERIES * 4);
    tiles(core, gaps, queries, refs + skip, groups, numbers, skip, values, pitch, resume || codes > 0);
  }
}
