// This kernel appends the pairs of a window that their bytes do not rule out: it computes a tile of packed
// products, like that of distances. A workgroup makes TILE_QUERIES x TILE_REFS sums, a lane 8 x 8 of them in
// blocks of 4 x 4. In workgroup memory four columns of four rows are a vector, 32 columns at a time.
//
// Globals: TILE_QUERIES, TILE_REFS, THREADS; params (groups; share: the references of a workgroup; words: of
// a row; queryBytes: where they begin in `quantized`, in vectors; window: the first reference's number
// there); quantized, scratch; takeBounds, factsOf, placeLength, mostRoot, mostLoss, bounds, lengths
// (knn_byte_bounds); enqueue, flush, queueQuery, queueRef (knn_byte_queue).

const LANES_REF: u32 = TILE_REFS / 8u;
const LANES_QUERY: u32 = TILE_QUERIES / 8u;
const_assert LANES_REF * LANES_QUERY == THREADS && LANES_REF == 8u;

const SLAB_WORDS: u32 = 8u;
const QUERY_FOURS: u32 = TILE_QUERIES / 4u;
const PITCH: u32 = QUERY_FOURS + TILE_REFS / 4u;
// Words 4 to 7 begin here, so that what lanes next to each other store falls into different banks.
const SHIFT: u32 = 4u;
const BLOCKS: u32 = 2u * PITCH;
const LOADS: u32 = (BLOCKS + THREADS - 1u) / THREADS;

alias Sums = array<vec4i, 16>;
alias Loaded = array<vec4u, 4u * LOADS>;

var<workgroup> slab: array<vec4u, SLAB_WORDS * PITCH + SHIFT>;
var<private> laneQuery: u32;
var<private> laneRef: u32;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  laneRef = lane % LANES_REF;
  laneQuery = lane / LANES_REF;
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

  var turn = 0u;
  var firstRef = number / queryTiles * params.share;
  let end = min(firstRef + params.share, params.refRows);
  queueQuery = firstQuery;
  queueRef = firstRef;
  var loaded = load(lane, firstQuery, firstRef, 0u);
  var facts = factsOf(lane, firstRef);
  for (; firstRef < end; firstRef += TILE_REFS) {
    placeLength(lane, turn % 2u, facts, root, loss);
    facts = factsOf(lane, firstRef + TILE_REFS);
    var sums = Sums();
    for (var word = 0u; word < params.words; word += SLAB_WORDS) {
      place(lane, &loaded);
      workgroupBarrier();
      if (word == 0u) {
        flush(lane, QUEUE / 2u);
      }
      let more = word + SLAB_WORDS < params.words;
      let next = select(firstRef + TILE_REFS, firstRef, more);
      loaded = load(lane, firstQuery, next, select(0u, word + SLAB_WORDS, more));
      step(0u, &sums);
      step(1u, &sums);
      step(2u, &sums);
      step(3u, &sums);
      step(4u, &sums);
      step(5u, &sums);
      step(6u, &sums);
      step(7u, &sums);
      workgroupBarrier();
    }
    enqueuePassing(turn, &sums);
    turn++;
  }
  workgroupBarrier();
  flush(lane, 1u);
}

// Loads the lane's blocks of four rows by a vector of the slab that begins at `word`. The last row stands for
// rows past the end.
fn load(lane: u32, firstQuery: u32, firstRef: u32, word: u32) -> Loaded {
  var loaded: Loaded;
  for (var turn = 0u; turn < LOADS; turn++) {
    let at = min(turn * THREADS + lane, BLOCKS - 1u);
    let row = at / 2u * 4u;
    let vectors = params.words / 4u;
    let vector = word / 4u + at % 2u;
    for (var i = 0u; i < 4u; i++) {
      if (row < TILE_QUERIES) {
        let query = min(firstQuery + row + i, params.queryRows - 1u);
        loaded[4u * turn + i] = quantized[params.queryBytes + query * vectors + vector];
      } else {
        let reference = min(firstRef + row - TILE_QUERIES + i, params.refRows - 1u);
        loaded[4u * turn + i] = quantized[(params.window + reference) * vectors + vector];
      }
    }
  }
  return loaded;
}

fn place(lane: u32, loaded: ptr<function, Loaded>) {
  for (var turn = 0u; turn < LOADS; turn++) {
    let at = turn * THREADS + lane;
    if (at < BLOCKS) {
      let a = (*loaded)[4u * turn];
      let b = (*loaded)[4u * turn + 1u];
      let c = (*loaded)[4u * turn + 2u];
      let d = (*loaded)[4u * turn + 3u];
      let begin = at % 2u * (4u * PITCH + SHIFT) + at / 2u;
      slab[begin] = vec4u(a.x, b.x, c.x, d.x);
      slab[begin + PITCH] = vec4u(a.y, b.y, c.y, d.y);
      slab[begin + 2u * PITCH] = vec4u(a.z, b.z, c.z, d.z);
      slab[begin + 3u * PITCH] = vec4u(a.w, b.w, c.w, d.w);
    }
  }
}

// Adds the products of one word of the slab to the sums of every pair of the lane.
fn step(word: u32, sums: ptr<function, Sums>) {
  let begin = word * PITCH + word / 4u * SHIFT;
  let r = slab[begin + QUERY_FOURS + laneRef];
  let s = slab[begin + QUERY_FOURS + LANES_REF + laneRef];
  let q = slab[begin + laneQuery];
  stepBlock(0u, q, r, sums);
  stepBlock(1u, q, s, sums);
  let p = slab[begin + LANES_QUERY + laneQuery];
  stepBlock(8u, p, r, sums);
  stepBlock(9u, p, s, sums);
}

fn stepBlock(at: u32, q: vec4u, r: vec4u, sums: ptr<function, Sums>) {
  (*sums)[at] += products(q.x, r);
  (*sums)[at + 2u] += products(q.y, r);
  (*sums)[at + 4u] += products(q.z, r);
  (*sums)[at + 6u] += products(q.w, r);
}

fn products(q: u32, r: vec4u) -> vec4i {
  return vec4i(dot4I8Packed(q, r.x), dot4I8Packed(q, r.y), dot4I8Packed(q, r.z), dot4I8Packed(q, r.w));
}

// Returns query i of the lane in the tile; refOf returns the first reference of its block b, which the other
// three follow.
fn queryOf(i: u32) -> u32 {
  return (i / 4u * LANES_QUERY + laneQuery) * 4u + i % 4u;
}

fn refOf(b: u32) -> u32 {
  return (b * LANES_REF + laneRef) * 4u;
}

fn enqueuePassing(turn: u32, sums: ptr<function, Sums>) {
  enqueueOf(passing(0u, turn % 2u, sums), 0u, turn);
  enqueueOf(passing(4u, turn % 2u, sums), 4u, turn);
}

// Returns a bit for each pair that passes, of four queries of the lane from query `first` on.
fn passing(first: u32, parity: u32, sums: ptr<function, Sums>) -> u32 {
  let r = lengthsAt(parity * TILE_REFS + refOf(0u));
  let s = lengthsAt(parity * TILE_REFS + refOf(1u));
  var bits = 0u;
  bits |= passingOf(r, (*sums)[2u * first], first, 0u) | passingOf(s, (*sums)[2u * first + 1u], first, 4u);
  bits |= passingOf(r, (*sums)[2u * first + 2u], first + 1u, 8u);
  bits |= passingOf(s, (*sums)[2u * first + 3u], first + 1u, 12u);
  bits |= passingOf(r, (*sums)[2u * first + 4u], first + 2u, 16u);
  bits |= passingOf(s, (*sums)[2u * first + 5u], first + 2u, 20u);
  bits |= passingOf(r, (*sums)[2u * first + 6u], first + 3u, 24u);
  bits |= passingOf(s, (*sums)[2u * first + 7u], first + 3u, 28u);
  return bits;
}

fn lengthsAt(at: u32) -> vec4i {
  return vec4i(lengths[at], lengths[at + 1u], lengths[at + 2u], lengths[at + 3u]);
}

fn passingOf(lengths: vec4i, sums: vec4i, i: u32, shift: u32) -> u32 {
  let there = lengths - 2 * sums <= vec4i(bounds[queryOf(i)]);
  return dot(select(vec4u(), vec4u(1u, 2u, 4u, 8u), there), vec4u(1u)) << shift;
}

fn enqueueOf(pairs: u32, first: u32, turn: u32) {
  var left = pairs;
  while (left != 0u) {
    let bit = firstTrailingBit(left);
    left &= left - 1u;
    enqueue(queryOf(first + bit / 8u), turn, refOf(bit / 4u % 2u) + bit % 4u);
  }
}
