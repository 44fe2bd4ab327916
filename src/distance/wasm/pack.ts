/**
 * Copies rows into the order in which the register tiles read them: depth outside, rows innermost, so that
 * one depth step reads one short run of memory. Queries come in tiles of QUERIES rows, references in groups
 * of REFS rows; missing rows of the last tile repeat its last real row.
 */

/**
 * The register tile has so many rows. V8 loads all of a depth step before it computes: eight accumulators,
 * four queries, two vectors of references and one product are the fifteen vector registers it uses on x64.
 * Five or six queries spill.
 */
export const QUERIES: i32 = 4;
export const REFS: i32 = 8;

/** Packs `rows` rows of `depth` float32, `pitch` bytes apart, to f32 [tile][depth][QUERIES]. */
export function packQueries(rows: usize, count: i32, pitch: usize, depth: i32, packed: usize): void {
  for (let first = 0; first < count; first += QUERIES) {
    for (let i = 0; i < QUERIES; i++) {
      packScalars(rows + <usize>min(first + i, count - 1) * pitch, 0, depth, packed + i * 4, QUERIES * 4);
    }
    packed += <usize>depth * QUERIES * 4;
  }
}

/** Packs `rows` rows of `depth` float32, `pitch` bytes apart, to f32 [group][depth][REFS]. */
export function packRefs(rows: usize, count: i32, pitch: usize, depth: i32, packed: usize): void {
  const whole = depth & ~3;
  for (let first = 0; first < count; first += REFS) {
    for (let half = 0; half < REFS; half += 4) {
      const r0 = rows + <usize>min(first + half, count - 1) * pitch;
      const r1 = rows + <usize>min(first + half + 1, count - 1) * pitch;
      const r2 = rows + <usize>min(first + half + 2, count - 1) * pitch;
      const r3 = rows + <usize>min(first + half + 3, count - 1) * pitch;
      const out = packed + half * 4;
      for (let d = 0; d < whole; d += 4) transpose(r0, r1, r2, r3, <usize>d * 4, out + <usize>d * (REFS * 4));
      packScalars(r0, whole, depth, out, REFS * 4);
      packScalars(r1, whole, depth, out + 4, REFS * 4);
      packScalars(r2, whole, depth, out + 8, REFS * 4);
      packScalars(r3, whole, depth, out + 12, REFS * 4);
    }
    packed += <usize>depth * REFS * 4;
  }
}

/**
 * Splits row metas f32 [count][4] into three arrays of `pitch` bytes: base (zero unless `based`), product,
 * margin.
 */
export function splitMeta(metas: usize, count: i32, based: bool, split: usize, pitch: usize): void {
  for (let i = 0; i < count; i++) {
    const from = metas + <usize>i * 16;
    const to = split + <usize>i * 4;
    store<f32>(to, based ? load<f32>(from) : 0);
    store<f32>(to + pitch, load<f32>(from, 4));
    store<f32>(to + 2 * pitch, load<f32>(from, 8));
  }
}

/** Copies entries [begin, depth) of one row to `out`, `step` bytes per entry. */
@inline
function packScalars(row: usize, begin: i32, depth: i32, out: usize, step: i32): void {
  for (let d = begin; d < depth; d++) store<f32>(out + <usize>(d * step), load<f32>(row + <usize>d * 4));
}

/** Transposes four entries of four rows: reads them as rows, writes them as columns REFS entries apart. */
@inline
function transpose(r0: usize, r1: usize, r2: usize, r3: usize, at: usize, out: usize): void {
  const a = v128.load(r0 + at);
  const b = v128.load(r1 + at);
  const c = v128.load(r2 + at);
  const d = v128.load(r3 + at);
  const abLow = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
  const abHigh = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
  const cdLow = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
  const cdHigh = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
  v128.store(out, v128.shuffle<i64>(abLow, cdLow, 0, 2));
  v128.store(out, v128.shuffle<i64>(abLow, cdLow, 1, 3), 32);
  v128.store(out, v128.shuffle<i64>(abHigh, cdHigh, 0, 2), 64);
  v128.store(out, v128.shuffle<i64>(abHigh, cdHigh, 1, 3), 96);
}
