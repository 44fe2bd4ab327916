// This kernel makes the values of a tile of pairs from rows of whole numbers, of 24 bits each. A number is
// three signed bytes a, b and c, the highest first, and four columns go to a vector (a, b, c, unused). Sums
// of products of bytes are exact, so that a value is far closer to the true one than float32 gets it.
//
// The products a a', a b' + b a' and a c' + b b' + c a' of two rows are summed apart. The products below are
// left out, and the interval makes up for them. Each sum and each squared length is a whole number of 2^17
// steps squared.
//
// A workgroup makes TILE_QUERIES x TILE_REFS values, a lane PER_QUERY (4) x PER_REF of them, as
// distance_tile does.
//
// Globals: TILE_QUERIES, TILE_REFS, TILE_DEPTH (8, vectors held at a time), PER_QUERY, PER_REF (4 or 8),
// THREADS; params (groups; depth: vectors of a row; stride; factor: of 2^17 steps squared); queries, refs
// (vec4u); queryMeta, refMeta (base: the squared length divided by 2^33; unused: the sixteen bits below);
// the epilogue.

const LANES_REF: u32 = TILE_REFS / PER_REF;
const_assert LANES_REF * TILE_QUERIES / 4u == THREADS && PER_QUERY == 4u && TILE_DEPTH == 8u;
const REF_BLOCKS: u32 = PER_REF / 4u;
// The bytes of one kind lie so far from those of the next; odd, so that lanes store into different banks.
const PITCH: u32 = (TILE_QUERIES + TILE_REFS) / 4u + 1u;
// The slab has this many blocks of four rows by one vector, and a lane loads this many.
const BLOCKS: u32 = (TILE_QUERIES + TILE_REFS) / 4u * TILE_DEPTH;
const LOADS: u32 = (BLOCKS + THREADS - 1u) / THREADS;

alias Sums = array<vec4f, PER_QUERY * REF_BLOCKS>;
alias Products = array<vec4i, 3u * PER_QUERY * REF_BLOCKS>;
alias Loaded = array<vec4u, 4u * LOADS>;

var<workgroup> slab: array<vec4u, 3u * TILE_DEPTH * PITCH>;
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
  // Query tiles vary fastest, so that workgroups that run together share references in the cache.
  let number = linearGroup(group, groups);
  let queryTiles = (params.queryRows + TILE_QUERIES - 1u) / TILE_QUERIES;
  let firstQuery = (number % queryTiles) * TILE_QUERIES;
  if (number >= params.groups || !epilogueWants(lane, firstQuery)) {
    return;
  }
  let stride = params.groups / queryTiles * TILE_REFS;
  var firstRef = number / queryTiles * TILE_REFS;
  var loaded = load(lane, firstQuery, firstRef, 0u);
  for (; firstRef < params.refRows; firstRef += stride) {
    // The declaration alone would not make them zero again.
    var products = Products();
    for (var depth = 0u; depth < params.depth; depth += TILE_DEPTH) {
      place(lane, &loaded);
      workgroupBarrier();
      let more = depth + TILE_DEPTH < params.depth;
      let next = select(firstRef + stride, firstRef, more);
      loaded = load(lane, firstQuery, next, select(0u, depth + TILE_DEPTH, more));
      step(0u, &products);
      step(1u, &products);
      step(2u, &products);
      step(3u, &products);
      step(4u, &products);
      step(5u, &products);
      step(6u, &products);
      step(7u, &products);
      workgroupBarrier();
    }
    var sums: Sums;
    finishTile(&products, &sums, firstQuery, firstRef);
    epilogue(&sums, lane, firstQuery, firstRef);
  }
}

// Adds the products of one vector of the slab to the sums of every pair of the lane.
fn step(vector: u32, products: ptr<function, Products>) {
  let at = 3u * vector * PITCH;
  let a = slab[at + laneQuery];
  let b = slab[at + PITCH + laneQuery];
  let c = slab[at + 2u * PITCH + laneQuery];
  let first = at + TILE_QUERIES / 4u + laneRef;
  stepBlock(0u, a, b, c, first, products);
  if (REF_BLOCKS == 2u) {
    stepBlock(REF_BLOCKS - 1u, a, b, c, first + LANES_REF, products);
  }
}

fn stepBlock(block: u32, a: vec4u, b: vec4u, c: vec4u, at: u32, products: ptr<function, Products>) {
  let x = slab[at];
  let y = slab[at + PITCH];
  let z = slab[at + 2u * PITCH];
  stepRow(block, a.x, b.x, c.x, x, y, z, products);
  stepRow(REF_BLOCKS + block, a.y, b.y, c.y, x, y, z, products);
  stepRow(2u * REF_BLOCKS + block, a.z, b.z, c.z, x, y, z, products);
  stepRow(3u * REF_BLOCKS + block, a.w, b.w, c.w, x, y, z, products);
}

fn stepRow(
  at: u32, a: u32, b: u32, c: u32, x: vec4u, y: vec4u, z: vec4u, products: ptr<function, Products>,
) {
  (*products)[3u * at] += dots(a, x);
  (*products)[3u * at + 1u] = (*products)[3u * at + 1u] + dots(a, y) + dots(b, x);
  (*products)[3u * at + 2u] = (*products)[3u * at + 2u] + dots(a, z) + dots(b, y) + dots(c, x);
}

fn dots(q: u32, r: vec4u) -> vec4i {
  return vec4i(dot4I8Packed(q, r.x), dot4I8Packed(q, r.y), dot4I8Packed(q, r.z), dot4I8Packed(q, r.w));
}

// Makes values of sums. In units of 2^17 steps squared a value is 2^16 * above + below.
fn finishTile(products: ptr<function, Products>, sums: ptr<function, Sums>, firstQuery: u32, firstRef: u32) {
  for (var b = 0u; b < REF_BLOCKS; b++) {
    var lengths: vec4i;
    var rests: vec4i;
    for (var e = 0u; e < 4u; e++) {
      let own = refMeta[params.refBegin + min(firstRef + refOf(b) + e, params.refRows - 1u)];
      lengths[e] = i32(own.x);
      rests[e] = i32(own.w);
    }
    for (var i = 0u; i < PER_QUERY; i++) {
      let mine = queryMeta[min(firstQuery + queryOf(i), params.queryRows - 1u)];
      let at = i * REF_BLOCKS + b;
      let middle = (*products)[3u * at + 1u];
      let above = lengths + i32(mine.x) - (*products)[3u * at] - (middle >> vec4u(8u));
      let below = rests + i32(mine.w) - ((middle & vec4i(255)) << vec4u(8u)) - (*products)[3u * at + 2u];
      (*sums)[at] = max(fma(vec4f(above), vec4f(65536.0), vec4f(below)), vec4f()) * params.factor;
    }
  }
}

fn finish(sums: vec4f, baseQuery: f32, bases: vec4f) -> vec4f {
  return sums;
}

// Loads the lane's blocks of the slab that begins at vector `depth`. The last row stands for rows past the
// end.
fn load(lane: u32, firstQuery: u32, firstRef: u32, depth: u32) -> Loaded {
  var loaded: Loaded;
  for (var turn = 0u; turn < LOADS; turn++) {
    let at = min(turn * THREADS + lane, BLOCKS - 1u);
    let row = at / TILE_DEPTH * 4u;
    let vector = depth + at % TILE_DEPTH;
    let column = min(vector, params.depth - 1u);
    for (var i = 0u; i < 4u; i++) {
      var four: vec4u;
      if (row < TILE_QUERIES) {
        four = queries[min(firstQuery + row + i, params.queryRows - 1u) * params.stride + column];
      } else {
        let reference = min(firstRef + row - TILE_QUERIES + i, params.refRows - 1u);
        four = refs[(params.refBegin + reference) * params.stride + column];
      }
      loaded[4u * turn + i] = select(vec4u(), four, vector < params.depth);
    }
  }
  return loaded;
}

fn place(lane: u32, loaded: ptr<function, Loaded>) {
  for (var turn = 0u; turn < LOADS; turn++) {
    let at = turn * THREADS + lane;
    if (at < BLOCKS) {
      let p = (*loaded)[4u * turn];
      let q = (*loaded)[4u * turn + 1u];
      let r = (*loaded)[4u * turn + 2u];
      let s = (*loaded)[4u * turn + 3u];
      let begin = 3u * (at % TILE_DEPTH) * PITCH + at / TILE_DEPTH;
      slab[begin] = vec4u(p.x, q.x, r.x, s.x);
      slab[begin + PITCH] = vec4u(p.y, q.y, r.y, s.y);
      slab[begin + 2u * PITCH] = vec4u(p.z, q.z, r.z, s.z);
    }
  }
}

fn queryOf(i: u32) -> u32 {
  return laneQuery * 4u + i;
}

fn refOf(b: u32) -> u32 {
  return (b * LANES_REF + laneRef) * 4u;
}
