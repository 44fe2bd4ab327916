// This kernel appends the pairs of a window that their bytes do not rule out, as knn_bytes does, by the
// device's matrix units. Four subgroups make 128 x 64 sums, a subgroup 32 x 64 of them in matrices of 16 x
// 16. Up to 128 columns a subgroup keeps the bytes of its queries in registers for all tiles.
//
// No element of a matrix can be read where it is, so that sums go through a part of workgroup memory that
// belongs to the subgroup, 16 references at a time, as [reference][query]. A lane looks at four queries,
// whose bounds it keeps. A pair passes by a sign: half a bound plus a sum less half a length is not negative.
// Halves are rounded so that more pass; with EXACT nothing is halved, and the sum is doubled.
//
// Globals: EXACT, TILE_QUERIES (128), TILE_REFS (64), THREADS (128, in subgroups of 32), STEPS (of 32 columns
// held at a time, 1 to 4), WHOLE (those are all columns); params (groups; share: the references of a
// workgroup; words: of a row; queryBytes: where they begin in `quantized`, in vectors; window: the first
// reference's number there); quantized, scratch; takeBounds, factsOf, placeLength, mostRoot, mostLoss,
// bounds, lengths (knn_byte_bounds); enqueue, flush, queueQuery, queueRef (knn_byte_queue).

const_assert TILE_QUERIES == 128u && TILE_REFS == 64u && THREADS == 128u;

alias Left = subgroup_matrix_left<i8, 32, 16>;
alias Right = subgroup_matrix_right<i8, 16, 32>;
alias Result = subgroup_matrix_result<i32, 16, 16>;
// Of matrices that follow one another in an array the first has the upper sixteen queries, the second the
// lower ones. They are indexed by constants alone, which keeps them in registers.
alias Lefts = array<Left, 8>;
alias Results = array<Result, 8>;

// A workgroup holds SLAB vectors of a reference at a time, PITCH from one row to the next: rows then begin in
// other banks.
const SLAB: u32 = 2u * STEPS;
const PITCH: u32 = SLAB + 1u;
const LOADS: u32 = TILE_REFS * SLAB / THREADS;
const_assert LOADS * THREADS == TILE_REFS * SLAB;
// The sums of one reference begin SUM_PITCH vectors before those of the next; a subgroup has STRIP vectors.
const SUM_PITCH: u32 = 9u;
const STRIP: u32 = 16u * SUM_PITCH;

alias Loaded = array<vec4u, LOADS>;

var<workgroup> rows: array<vec4u, TILE_REFS * PITCH>;
var<workgroup> sums: array<vec4i, 4u * STRIP>;

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
  // Query tiles vary fastest, so that workgroups that run together share references in the cache.
  let queryTiles = (params.queryRows + TILE_QUERIES - 1u) / TILE_QUERIES;
  let firstQuery = (number % queryTiles) * TILE_QUERIES;
  takeBounds(lane, firstQuery);
  workgroupBarrier();
  let root = bitcast<f32>(atomicLoad(&mostRoot));
  let loss = bitcast<f32>(atomicLoad(&mostLoss));
  let query = subgroup * 32u + within % 8u * 4u;
  let own = vec4i(bounds[query], bounds[query + 1u], bounds[query + 2u], bounds[query + 3u]);
  let halves = select((own + 1) >> vec4u(1u), own, EXACT);

  let vectors = vectorsOfRow();
  let upper = params.queryBytes + (firstQuery + subgroup * 32u) * vectors;
  var q: Lefts;
  if (WHOLE) {
    q = loadQueries(upper, vectors);
  }

  let strip = subgroup * STRIP;
  let mine = strip + within / 8u * SUM_PITCH + within % 8u;
  var turn = 0u;
  var firstRef = number / queryTiles * params.share;
  let end = min(firstRef + params.share, params.refRows);
  queueQuery = firstQuery;
  queueRef = firstRef;
  var loaded = load(lane, firstRef, 0u);
  var facts = factsOf(lane, firstRef);
  for (; firstRef < end; firstRef += TILE_REFS) {
    placeLength(lane, turn % 2u, facts, root, loss);
    facts = factsOf(lane, firstRef + TILE_REFS);
    var s = Results();
    for (var vector = 0u; vector < vectors; vector += SLAB) {
      place(lane, loaded);
      workgroupBarrier();
      if (vector == 0u) {
        flush(lane, QUEUE / 2u);
      }
      let more = vector + SLAB < vectors;
      loaded = load(lane, select(firstRef + TILE_REFS, firstRef, more), select(0u, vector + SLAB, more));
      if (!WHOLE) {
        q = loadQueries(upper + vector, vectors);
      }
      multiply(&s, 0u, q[0], q[1]);
      if (STEPS > 1u) {
        multiply(&s, 2u, q[2], q[3]);
      }
      if (STEPS > 2u) {
        multiply(&s, 4u, q[4], q[5]);
      }
      if (STEPS > 3u) {
        multiply(&s, 6u, q[6], q[7]);
      }
      if (more) {
        workgroupBarrier();
      }
    }
    let length = turn % 2u * TILE_REFS + within / 8u;
    storeSums(strip, s[0], s[1]);
    workgroupBarrier();
    enqueueOf(passing(mine, length, halves), query, turn, within / 8u);
    workgroupBarrier();
    storeSums(strip, s[2], s[3]);
    workgroupBarrier();
    enqueueOf(passing(mine, length + 16u, halves), query, turn, within / 8u + 16u);
    workgroupBarrier();
    storeSums(strip, s[4], s[5]);
    workgroupBarrier();
    enqueueOf(passing(mine, length + 32u, halves), query, turn, within / 8u + 32u);
    workgroupBarrier();
    storeSums(strip, s[6], s[7]);
    workgroupBarrier();
    enqueueOf(passing(mine, length + 48u, halves), query, turn, within / 8u + 48u);
    turn++;
  }
  workgroupBarrier();
  flush(lane, 1u);
}

fn vectorsOfRow() -> u32 {
  return select(params.words / 4u, SLAB, WHOLE);
}

fn loadQueries(upper: u32, vectors: u32) -> Lefts {
  let lower = upper + 16u * vectors;
  var q: Lefts;
  q[0] = subgroupMatrixLoad<Left, row_major>(&quantized, upper, vectors);
  q[1] = subgroupMatrixLoad<Left, row_major>(&quantized, lower, vectors);
  if (STEPS > 1u) {
    q[2] = subgroupMatrixLoad<Left, row_major>(&quantized, upper + 2u, vectors);
    q[3] = subgroupMatrixLoad<Left, row_major>(&quantized, lower + 2u, vectors);
  }
  if (STEPS > 2u) {
    q[4] = subgroupMatrixLoad<Left, row_major>(&quantized, upper + 4u, vectors);
    q[5] = subgroupMatrixLoad<Left, row_major>(&quantized, lower + 4u, vectors);
  }
  if (STEPS > 3u) {
    q[6] = subgroupMatrixLoad<Left, row_major>(&quantized, upper + 6u, vectors);
    q[7] = subgroupMatrixLoad<Left, row_major>(&quantized, lower + 6u, vectors);
  }
  return q;
}

// Adds the products of 32 columns, which begin at a vector of the rows that the workgroup holds.
fn multiply(s: ptr<function, Results>, vector: u32, upper: Left, lower: Left) {
  let a = subgroupMatrixLoad<Right, col_major>(&rows, vector, PITCH);
  (*s)[0] = subgroupMatrixMultiplyAccumulate(upper, a, (*s)[0]);
  (*s)[1] = subgroupMatrixMultiplyAccumulate(lower, a, (*s)[1]);
  let b = subgroupMatrixLoad<Right, col_major>(&rows, vector + 16u * PITCH, PITCH);
  (*s)[2] = subgroupMatrixMultiplyAccumulate(upper, b, (*s)[2]);
  (*s)[3] = subgroupMatrixMultiplyAccumulate(lower, b, (*s)[3]);
  let c = subgroupMatrixLoad<Right, col_major>(&rows, vector + 32u * PITCH, PITCH);
  (*s)[4] = subgroupMatrixMultiplyAccumulate(upper, c, (*s)[4]);
  (*s)[5] = subgroupMatrixMultiplyAccumulate(lower, c, (*s)[5]);
  let d = subgroupMatrixLoad<Right, col_major>(&rows, vector + 48u * PITCH, PITCH);
  (*s)[6] = subgroupMatrixMultiplyAccumulate(upper, d, (*s)[6]);
  (*s)[7] = subgroupMatrixMultiplyAccumulate(lower, d, (*s)[7]);
}

fn storeSums(at: u32, upper: Result, lower: Result) {
  subgroupMatrixStore<col_major>(&sums, at, upper, SUM_PITCH);
  subgroupMatrixStore<col_major>(&sums, at + 4u, lower, SUM_PITCH);
}

// Returns sixteen bits for four references that are four apart and four queries each, the first topmost.
fn passing(at: u32, length: u32, halves: vec4i) -> u32 {
  var failing = 0u;
  for (var i = 0u; i < 4u; i++) {
    let sum = sums[at + 4u * i * SUM_PITCH] << vec4u(select(0u, 1u, EXACT));
    let half = lengths[length + 4u * i] >> select(1u, 0u, EXACT);
    let signs = bitcast<vec4u>(sum + (halves - vec4i(half)));
    failing = (failing << 1u) | (signs.x >> 31u);
    failing = (failing << 1u) | (signs.y >> 31u);
    failing = (failing << 1u) | (signs.z >> 31u);
    failing = (failing << 1u) | (signs.w >> 31u);
  }
  return ~failing << 16u;
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
  let vectors = vectorsOfRow();
  for (var turn = 0u; turn < LOADS; turn++) {
    let at = turn * THREADS + lane;
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
    rows[at / SLAB * PITCH + at % SLAB] = loaded[turn];
  }
}
