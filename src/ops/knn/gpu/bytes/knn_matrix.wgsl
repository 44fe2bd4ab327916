// This kernel appends the pairs of a window that their bytes do not rule out, as knn_bytes does, by the
// device's matrix units. Eight subgroups make 128 x 64 sums, a subgroup 32 x 32 of them in matrices of 16 x
// 16. Up to 128 columns a subgroup keeps the bytes of its queries in registers for all tiles.
//
// No element of a matrix can be read where it is, so that sums go through a part of workgroup memory that
// belongs to the subgroup, 16 references at a time, as [reference][query]. A lane looks at four queries,
// whose bounds it keeps. A pair passes by a sign: half a bound plus a sum less half a length is not negative.
// Halves are rounded so that more pass; with EXACT nothing is halved, and the sum is doubled.
//
// Globals: EXACT, TILE_QUERIES (128), TILE_REFS (64), THREADS (256, in subgroups of 32), STEPS (of 32 columns
// held at a time, 1 to 4), WHOLE (those are all columns); params (groups; words: of a row; queryBytes: where
// they begin in `quantized`, in vectors; window: the first reference's number there); quantized, scratch;
// takeBounds, factsOf, placeLength, mostRoot, mostLoss, bounds, lengths (knn_byte_bounds); enqueue, flush,
// queueQuery, queueRef, queueStride (knn_byte_queue).

const_assert TILE_QUERIES == 128u && TILE_REFS == 64u && THREADS == 256u;

alias Left = subgroup_matrix_left<i8, 32, 16>;
alias Right = subgroup_matrix_right<i8, 16, 32>;
alias Result = subgroup_matrix_result<i32, 16, 16>;

// A workgroup holds SLAB vectors of a reference at a time, PITCH from one row to the next: rows then begin in
// other banks.
const SLAB: u32 = 2u * STEPS;
const PITCH: u32 = SLAB + 1u;
const LOADS: u32 = (TILE_REFS * SLAB + THREADS - 1u) / THREADS;
// The sums of one reference begin SUM_PITCH vectors before those of the next; a subgroup has STRIP vectors.
const SUM_PITCH: u32 = 9u;
const STRIP: u32 = 16u * SUM_PITCH;

alias Loaded = array<vec4u, LOADS>;

var<workgroup> rows: array<vec4u, TILE_REFS * PITCH>;
var<workgroup> sums: array<vec4i, 8u * STRIP>;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
  @builtin(subgroup_id) subgroup: u32,
  @builtin(subgroup_invocation_id) within: u32,
) {
  let number = linearGroup(group, groups);
  if (number >= params.groups) {
    return;
  }
  let queryTiles = (params.queryRows + TILE_QUERIES - 1u) / TILE_QUERIES;
  let firstQuery = (number % queryTiles) * TILE_QUERIES;
  takeBounds(lane, firstQuery);
  workgroupBarrier();
  let root = bitcast<f32>(atomicLoad(&mostRoot));
  let loss = bitcast<f32>(atomicLoad(&mostLoss));
  let query = subgroup / 2u * 32u + within % 8u * 4u;
  let own = vec4i(bounds[query], bounds[query + 1u], bounds[query + 2u], bounds[query + 3u]);
  let halves = select((own + 1) >> vec4u(1u), own, EXACT);

  let vectors = params.words / 4u;
  let upper = params.queryBytes + (firstQuery + subgroup / 2u * 32u) * vectors;
  let lower = upper + 16u * vectors;
  var q00 = Left();
  var q01 = Left();
  var q02 = Left();
  var q03 = Left();
  var q10 = Left();
  var q11 = Left();
  var q12 = Left();
  var q13 = Left();
  if (WHOLE) {
    q00 = subgroupMatrixLoad<Left, row_major>(&quantized, upper, vectors);
    q10 = subgroupMatrixLoad<Left, row_major>(&quantized, lower, vectors);
    if (STEPS > 1u) {
      q01 = subgroupMatrixLoad<Left, row_major>(&quantized, upper + 2u, vectors);
      q11 = subgroupMatrixLoad<Left, row_major>(&quantized, lower + 2u, vectors);
    }
    if (STEPS > 2u) {
      q02 = subgroupMatrixLoad<Left, row_major>(&quantized, upper + 4u, vectors);
      q12 = subgroupMatrixLoad<Left, row_major>(&quantized, lower + 4u, vectors);
    }
    if (STEPS > 3u) {
      q03 = subgroupMatrixLoad<Left, row_major>(&quantized, upper + 6u, vectors);
      q13 = subgroupMatrixLoad<Left, row_major>(&quantized, lower + 6u, vectors);
    }
  }

  let stride = params.groups / queryTiles * TILE_REFS;
  let ofSubgroup = subgroup % 2u * 32u;
  let first = ofSubgroup * PITCH;
  let second = first + 16u * PITCH;
  let strip = subgroup * STRIP;
  let mine = strip + within / 8u * SUM_PITCH + within % 8u;
  var turn = 0u;
  var firstRef = number / queryTiles * TILE_REFS;
  queueQuery = firstQuery;
  queueRef = firstRef;
  queueStride = stride;
  var loaded = load(lane, firstRef, 0u);
  var facts = factsOf(lane, firstRef);
  for (; firstRef < params.refRows; firstRef += stride) {
    placeLength(lane, turn % 2u, facts, root, loss);
    facts = factsOf(lane, firstRef + stride);
    var s00 = Result();
    var s01 = Result();
    var s10 = Result();
    var s11 = Result();
    for (var vector = 0u; vector < vectors; vector += SLAB) {
      place(lane, loaded);
      workgroupBarrier();
      if (vector == 0u) {
        flush(lane, QUEUE / 2u);
      }
      let more = vector + SLAB < vectors;
      loaded = load(lane, select(firstRef + stride, firstRef, more), select(0u, vector + SLAB, more));
      if (!WHOLE) {
        q00 = subgroupMatrixLoad<Left, row_major>(&quantized, upper + vector, vectors);
        q10 = subgroupMatrixLoad<Left, row_major>(&quantized, lower + vector, vectors);
        q01 = subgroupMatrixLoad<Left, row_major>(&quantized, upper + vector + 2u, vectors);
        q11 = subgroupMatrixLoad<Left, row_major>(&quantized, lower + vector + 2u, vectors);
        q02 = subgroupMatrixLoad<Left, row_major>(&quantized, upper + vector + 4u, vectors);
        q12 = subgroupMatrixLoad<Left, row_major>(&quantized, lower + vector + 4u, vectors);
        q03 = subgroupMatrixLoad<Left, row_major>(&quantized, upper + vector + 6u, vectors);
        q13 = subgroupMatrixLoad<Left, row_major>(&quantized, lower + vector + 6u, vectors);
      }
      var r0 = subgroupMatrixLoad<Right, col_major>(&rows, first, PITCH);
      var r1 = subgroupMatrixLoad<Right, col_major>(&rows, second, PITCH);
      s00 = subgroupMatrixMultiplyAccumulate(q00, r0, s00);
      s10 = subgroupMatrixMultiplyAccumulate(q10, r0, s10);
      s01 = subgroupMatrixMultiplyAccumulate(q00, r1, s01);
      s11 = subgroupMatrixMultiplyAccumulate(q10, r1, s11);
      if (STEPS > 1u) {
        r0 = subgroupMatrixLoad<Right, col_major>(&rows, first + 2u, PITCH);
        r1 = subgroupMatrixLoad<Right, col_major>(&rows, second + 2u, PITCH);
        s00 = subgroupMatrixMultiplyAccumulate(q01, r0, s00);
        s10 = subgroupMatrixMultiplyAccumulate(q11, r0, s10);
        s01 = subgroupMatrixMultiplyAccumulate(q01, r1, s01);
        s11 = subgroupMatrixMultiplyAccumulate(q11, r1, s11);
      }
      if (STEPS > 2u) {
        r0 = subgroupMatrixLoad<Right, col_major>(&rows, first + 4u, PITCH);
        r1 = subgroupMatrixLoad<Right, col_major>(&rows, second + 4u, PITCH);
        s00 = subgroupMatrixMultiplyAccumulate(q02, r0, s00);
        s10 = subgroupMatrixMultiplyAccumulate(q12, r0, s10);
        s01 = subgroupMatrixMultiplyAccumulate(q02, r1, s01);
        s11 = subgroupMatrixMultiplyAccumulate(q12, r1, s11);
      }
      if (STEPS > 3u) {
        r0 = subgroupMatrixLoad<Right, col_major>(&rows, first + 6u, PITCH);
        r1 = subgroupMatrixLoad<Right, col_major>(&rows, second + 6u, PITCH);
        s00 = subgroupMatrixMultiplyAccumulate(q03, r0, s00);
        s10 = subgroupMatrixMultiplyAccumulate(q13, r0, s10);
        s01 = subgroupMatrixMultiplyAccumulate(q03, r1, s01);
        s11 = subgroupMatrixMultiplyAccumulate(q13, r1, s11);
      }
      if (more) {
        workgroupBarrier();
      }
    }
    let lengthAt = turn % 2u * TILE_REFS + ofSubgroup + within / 8u;
    subgroupMatrixStore<col_major>(&sums, strip, s00, SUM_PITCH);
    subgroupMatrixStore<col_major>(&sums, strip + 4u, s10, SUM_PITCH);
    workgroupBarrier();
    let below = failing(mine, lengthAt, halves);
    workgroupBarrier();
    subgroupMatrixStore<col_major>(&sums, strip, s01, SUM_PITCH);
    subgroupMatrixStore<col_major>(&sums, strip + 4u, s11, SUM_PITCH);
    workgroupBarrier();
    let above = failing(mine, lengthAt + 16u, halves);
    enqueueOf(~((below << 16u) | above), query, turn, ofSubgroup + within / 8u);
    turn++;
  }
  workgroupBarrier();
  flush(lane, 1u);
}

// Returns sixteen bits for four references that are four apart and four queries each, the first topmost.
fn failing(at: u32, length: u32, halves: vec4i) -> u32 {
  var bits = 0u;
  for (var i = 0u; i < 4u; i++) {
    let sum = sums[at + 4u * i * SUM_PITCH] << vec4u(select(0u, 1u, EXACT));
    let half = lengths[length + 4u * i] >> select(1u, 0u, EXACT);
    let signs = bitcast<vec4u>(sum + (halves - vec4i(half)));
    bits = (bits << 1u) | (signs.x >> 31u);
    bits = (bits << 1u) | (signs.y >> 31u);
    bits = (bits << 1u) | (signs.z >> 31u);
    bits = (bits << 1u) | (signs.w >> 31u);
  }
  return bits;
}

fn enqueueOf(pairs: u32, firstQuery: u32, turn: u32, firstRef: u32) {
  var left = pairs;
  while (left != 0u) {
    let bit = countLeadingZeros(left);
    left &= ~(0x80000000u >> bit);
    enqueue(firstQuery + bit % 4u, turn, firstRef + bit / 4u * 4u);
  }
}

// Loads the lane's vectors of the tile's references, from `vector` on. The last row stands for rows past the
// end, and zeros for vectors past a row's end.
fn load(lane: u32, firstRef: u32, vector: u32) -> Loaded {
  var loaded: Loaded;
  let vectors = params.words / 4u;
  for (var turn = 0u; turn < LOADS; turn++) {
    let at = min(turn * THREADS + lane, TILE_REFS * SLAB - 1u);
    let column = vector + at % SLAB;
    let row = params.window + min(firstRef + at / SLAB, params.refRows - 1u);
    let four = quantized[row * vectors + min(column, vectors - 1u)];
    loaded[turn] = select(vec4u(), four, column < vectors);
  }
  return loaded;
}

fn place(lane: u32, loaded: Loaded) {
  for (var turn = 0u; turn < LOADS; turn++) {
    let at = turn * THREADS + lane;
    if (at < TILE_REFS * SLAB) {
      rows[at / SLAB * PITCH + at % SLAB] = loaded[turn];
    }
  }
}
