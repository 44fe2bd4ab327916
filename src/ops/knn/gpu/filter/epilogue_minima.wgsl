// This epilogue of a tile of distances writes to scratch, for every group of GROUP consecutive references,
// the keys of the least low and the least high end, [query][1 + groups], from word params.begin on.
//
// Minima are taken as floats, which is cheap. Where flushed subnormals may have hidden the least, they are
// taken again as keys. Those of four references of one lane meet those of the group's other lanes in the
// slab, two queries in a vector.
//
// Globals: CUT, GROUP, TILE_QUERIES, TILE_REFS, PER_QUERY, REF_BLOCKS, QUERY_BLOCKS, LANES_REF,
// LANES_QUERY, THREADS; params; queryMeta, refMeta, scratch; Sums; slab; queryOf, refOf, laneQuery, laneRef;
// intervalOf, valueOf, keyOf (distance_interval).

// A group has this many parts, and a tile this many groups.
const PARTS: u32 = GROUP / 4u;
const TILE_GROUPS: u32 = TILE_REFS / GROUP;
const_assert PARTS * 4u == GROUP && TILE_GROUPS * GROUP == TILE_REFS;
const_assert QUERY_BLOCKS <= 2u && REF_BLOCKS <= 2u;

// A tile's block has this many pairs of queries, and the slab one vector more, so that what lanes read falls
// into different banks.
const PAIRS: u32 = 2u * LANES_QUERY;
const PAIR_PITCH: u32 = PAIRS + 1u;
const EPILOGUE_SLAB: u32 = TILE_REFS / 4u * PAIR_PITCH;

const LARGEST: f32 = 0x1.fffffep+127;

var<workgroup> wanted: u32;
var<workgroup> unappended: atomic<u32>;

// Tells whether the tile is wanted: one of its queries had more pairs than there was room for.
fn epilogueWants(lane: u32, firstQuery: u32) -> bool {
  if (lane == 0u) {
    wanted = scratch[params.queryRows];
    atomicStore(&unappended, 0u);
  }
  if (workgroupUniformLoad(&wanted) == 0u) {
    return false;
  }
  let end = min(firstQuery + TILE_QUERIES, params.queryRows);
  for (var query = firstQuery + lane; query < end; query += THREADS) {
    atomicMax(&unappended, scratch[query]);
  }
  workgroupBarrier();
  if (lane == 0u) {
    wanted = atomicLoad(&unappended);
  }
  return workgroupUniformLoad(&wanted) > params.room;
}

fn epilogueBegins(lane: u32, firstRef: u32) {}

fn epilogueSees(turn: u32, rows: mat4x4f) {}

// This runs once no lane reads the slab any more. Sums are indexed by constants alone, not in loops: a
// compiler that does not unroll a loop moves all of them, and the tile's steps with them, to memory.
fn epilogue(sums: ptr<function, Sums>, lane: u32, firstQuery: u32, firstRef: u32) {
  minimaOfBlock(0u, sums, lane, firstQuery, firstRef);
  if (QUERY_BLOCKS > 1u) {
    minimaOfBlock(1u, sums, lane, firstQuery, firstRef);
  }
}

fn minimaOfBlock(block: u32, sums: ptr<function, Sums>, lane: u32, firstQuery: u32, firstRef: u32) {
  placePair(block, 0u, 0u, sums, firstQuery, firstRef);
  placePair(block, 0u, 1u, sums, firstQuery, firstRef);
  if (REF_BLOCKS > 1u) {
    placePair(block, 1u, 0u, sums, firstQuery, firstRef);
    placePair(block, 1u, 1u, sums, firstQuery, firstRef);
  }
  workgroupBarrier();
  for (var at = lane; at < PAIRS * TILE_GROUPS; at += THREADS) {
    let pair = at % PAIRS;
    let part = at / PAIRS * PARTS;
    var least = vec4u(0xffffffffu);
    for (var i = 0u; i < PARTS; i++) {
      least = min(least, bitcast<vec4u>(slab[(part + i) * PAIR_PITCH + pair]));
    }
    let query = firstQuery + block * LANES_QUERY * 4u + pair * 2u;
    write(query, firstRef / GROUP + at / PAIRS, least.xy);
    write(query + 1u, firstRef / GROUP + at / PAIRS, least.zw);
  }
  workgroupBarrier();
}

// Places the minima of two queries of the lane, among the references of its block b.
fn placePair(
  block: u32,
  b: u32,
  pair: u32,
  sums: ptr<function, Sums>,
  firstQuery: u32,
  firstRef: u32,
) {
  let i = block * 4u + pair * 2u;
  let first = minimaOf((*sums)[i * REF_BLOCKS + b], firstQuery + queryOf(i), firstRef + refOf(b));
  let next = (*sums)[(i + 1u) * REF_BLOCKS + b];
  let second = minimaOf(next, firstQuery + queryOf(i + 1u), firstRef + refOf(b));
  let slot = (b * LANES_REF + laneRef) * PAIR_PITCH + laneQuery * 2u;
  slab[slot + pair] = bitcast<vec4f>(vec4u(first, second));
}

// Returns the keys of the least ends among four references; past the last query their bits are all ones.
fn minimaOf(four: vec4f, query: u32, reference: u32) -> vec2u {
  var keys = vec2u(0xffffffffu);
  if (query >= params.queryRows) {
    return keys;
  }
  let own = queryMeta[query];
  var least = vec2f(LARGEST);
  for (var e = 0u; e < 4u; e++) {
    if (reference + e < params.refRows) {
      let other = refMeta[params.refBegin + reference + e];
      least = min(least, intervalOf(valueOf(four[e], own, other), own, other));
    }
  }
  if (all((bitcast<vec2u>(least) & vec2u(0x7f800000u)) != vec2u(0u))) {
    return vec2u(keyOf(least.x), keyOf(least.y));
  }
  for (var e = 0u; e < 4u; e++) {
    if (reference + e < params.refRows) {
      let other = refMeta[params.refBegin + reference + e];
      let interval = intervalOf(valueOf(four[e], own, other), own, other);
      keys = min(keys, vec2u(keyOf(interval.x), keyOf(interval.y)));
    }
  }
  return keys;
}

fn write(query: u32, group: u32, least: vec2u) {
  if (query < params.queryRows && group + 1u < params.pitch) {
    let at = params.begin + (query * params.pitch + 1u + group) * 2u;
    scratch[at] = least.x;
    scratch[at + 1u] = least.y;
  }
}
