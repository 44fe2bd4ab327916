/**
 * This sums up pairs in float64, by the metrics' definitions to the bit: over the columns in their order,
 * without fused multiply-add. Four queries meet four rows at a time, one pair a lane, so that no sum is
 * split.
 */

/** The cores have the numbers of ../kernels.ts. */
const L2: i32 = 0;
const L1: i32 = 1;
const LINF: i32 = 2;

/** This many rows lie side by side once they are packed, queries and rows of train alike. */
const TOGETHER: i32 = 4;

/** Packs `count` rows f64 [cols] to f64 [group][cols][TOGETHER]; missing rows repeat the last real one. */
export function packDistanceRows(rows: usize, count: i32, cols: i32, packed: usize): void {
  const pitch = <usize>cols << 3;
  for (let first = 0; first < count; first += TOGETHER) {
    const r0 = rows + <usize>first * pitch;
    const r1 = rows + <usize>min(first + 1, count - 1) * pitch;
    const r2 = rows + <usize>min(first + 2, count - 1) * pitch;
    const r3 = rows + <usize>min(first + 3, count - 1) * pitch;
    for (let at: usize = 0; at < pitch; at += 8) {
      store<f64>(packed, load<f64>(r0 + at));
      store<f64>(packed, load<f64>(r1 + at), 8);
      store<f64>(packed, load<f64>(r2 + at), 16);
      store<f64>(packed, load<f64>(r3 + at), 24);
      packed += 32;
    }
  }
}

/**
 * Writes the sums of pairs, f64 [queries][groups * TOGETHER], rows `pitch` bytes apart.
 * @param queries packed, `tiles` groups of them
 */
export function evaluateDistances(
  core: i32,
  queries: usize,
  tiles: i32,
  rows: usize,
  groups: i32,
  cols: i32,
  values: usize,
  pitch: usize,
): void {
  const bytes = <usize>cols << 5;
  for (let tile = 0; tile < tiles; tile++) {
    if (core == L2) sweep(L2, queries, rows, groups, cols, values, pitch);
    else if (core == L1) sweep(L1, queries, rows, groups, cols, values, pitch);
    else if (core == LINF) sweep(LINF, queries, rows, groups, cols, values, pitch);
    else sweep(core, queries, rows, groups, cols, values, pitch);
    queries += bytes;
    values += TOGETHER * pitch;
  }
}

@inline
function sweep(core: i32, queries: usize, rows: usize, groups: i32, cols: i32, values: usize, pitch: usize): void {
  const v1 = values + pitch;
  const v2 = v1 + pitch;
  const v3 = v2 + pitch;
  for (let group: usize = 0; group < <usize>groups << 5; group += 32) {
    let a0 = f64x2.splat(0);
    let a1 = a0, a2 = a0, a3 = a0;
    let b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    let q = queries;
    for (let column = 0; column < cols; column++) {
      const r = v128.load(rows);
      const s = v128.load(rows, 16);
      const q0 = v128.load64_splat(q, 0);
      a0 = added(core, a0, r, q0), b0 = added(core, b0, s, q0);
      const q1 = v128.load64_splat(q, 8);
      a1 = added(core, a1, r, q1), b1 = added(core, b1, s, q1);
      const q2 = v128.load64_splat(q, 16);
      a2 = added(core, a2, r, q2), b2 = added(core, b2, s, q2);
      const q3 = v128.load64_splat(q, 24);
      a3 = added(core, a3, r, q3), b3 = added(core, b3, s, q3);
      q += 32;
      rows += 32;
    }
    v128.store(values + group, a0), v128.store(values + group, b0, 16);
    v128.store(v1 + group, a1), v128.store(v1 + group, b1, 16);
    v128.store(v2 + group, a2), v128.store(v2 + group, b2, 16);
    v128.store(v3 + group, a3), v128.store(v3 + group, b3, 16);
  }
}

/** Adds the term of a column; where the core is no difference, the product. */
@inline
function added(core: i32, sum: v128, x: v128, q: v128): v128 {
  if (core == L2) {
    const difference = f64x2.sub(x, q);
    return f64x2.add(sum, f64x2.mul(difference, difference));
  }
  if (core == L1) return f64x2.add(sum, f64x2.abs(f64x2.sub(x, q)));
  if (core == LINF) return f64x2.pmax(sum, f64x2.abs(f64x2.sub(x, q)));
  return f64x2.add(sum, f64x2.mul(x, q));
}
