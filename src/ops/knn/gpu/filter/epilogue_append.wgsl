// This epilogue of a tile of distances appends the pairs that pass, each by knn_append. Vectors of four sums
// of which one may pass wait in the slab. Then the lanes share them out, since few pass and lanes would wait
// for each other. Where more pass than the slab holds, it is done again one query of a lane at a time.
//
// Globals: THREADS, TILE_QUERIES, TILE_REFS, PER_QUERY, REF_BLOCKS; params; refMeta, scratch; Sums; slab;
// finish; queryOf, refOf; halvesOf (distance_interval); limited, competes, append.

const LARGEST: f32 = 0x1.fffffep+127;

const VECTORS: u32 = PER_QUERY * REF_BLOCKS;
const_assert VECTORS == 4u || VECTORS == 8u || VECTORS == 16u;
// There is room for one query's vectors of every lane.
const EPILOGUE_SLAB: u32 = THREADS * REF_BLOCKS;

// These are the metas of the tile's queries, with the rough limit in the fourth place. A query past the end
// has a limit that nothing passes.
var<workgroup> own: array<vec4f, TILE_QUERIES>;
// These are the metas of the tile's references, in fours: all bases, then all products and margins. The last
// reference stands for those past the end.
var<workgroup> other: array<vec4f, OTHER_PARTS * OTHER_PITCH>;
const OTHER_PITCH: u32 = TILE_REFS / 4u;
const OTHER_PARTS: u32 = select(3u, 1u, CUT);

var<workgroup> waiting: atomic<u32>;
var<workgroup> noticed: u32;
// A word holds the tile's query, << 16, and the first reference of the four.
var<workgroup> waitingAt: array<u32, EPILOGUE_SLAB>;

fn epilogueWants(lane: u32, firstQuery: u32) -> bool {
  for (var at = lane; at < TILE_QUERIES; at += THREADS) {
    own[at] = select(vec4f(vec3f(), -LARGEST), limited(firstQuery + at), firstQuery + at < params.queryRows);
  }
  return true;
}

fn epilogueBegins(lane: u32, firstRef: u32) {
  for (var at = lane; at < OTHER_PITCH; at += THREADS) {
    let first = metaOf(firstRef + 4u * at);
    let second = metaOf(firstRef + 4u * at + 1u);
    let third = metaOf(firstRef + 4u * at + 2u);
    let fourth = metaOf(firstRef + 4u * at + 3u);
    for (var part = 0u; part < OTHER_PARTS; part++) {
      other[part * OTHER_PITCH + at] = vec4f(first[part], second[part], third[part], fourth[part]);
    }
  }
}

fn epilogueSees(turn: u32, rows: mat4x4f) {}

fn metaOf(reference: u32) -> vec4f {
  return refMeta[params.refBegin + min(reference, params.refRows - 1u)];
}

// This runs once no lane reads the slab any more.
fn epilogue(sums: ptr<function, Sums>, lane: u32, firstQuery: u32, firstRef: u32) {
  let passing = passingOf(sums);
  var together = true;
  for (var i = 0u; i < PER_QUERY; i++) {
    let ofQuery = ((1u << REF_BLOCKS) - 1u) << (i * REF_BLOCKS);
    let turn = passing & select(ofQuery, 0xffffffffu, together);
    if (turn != 0u) {
      keepThose(turn, atomicAdd(&waiting, countOneBits(turn)), sums);
    }
    workgroupBarrier();
    if (lane == 0u) {
      noticed = atomicExchange(&waiting, 0u);
    }
    let found = workgroupUniformLoad(&noticed);
    if (found > EPILOGUE_SLAB) {
      together = false;
      i = 0xffffffffu; // The next round is the first.
    } else if (found > 0u) {
      share(found, lane, firstQuery, firstRef);
      workgroupBarrier();
    }
    if (together) {
      break;
    }
  }
}

// Returns a bit for each vector of the lane of which a pair may pass. The vectors are handled one after the
// other, not in a loop, as the steps of a tile are.
fn passingOf(sums: ptr<function, Sums>) -> u32 {
  var passing = mayPass(0u, sums) | mayPass(1u, sums) | mayPass(2u, sums) | mayPass(3u, sums);
  if (VECTORS > 4u) {
    passing |= mayPass(4u, sums) | mayPass(5u, sums) | mayPass(6u, sums) | mayPass(7u, sums);
  }
  if (VECTORS > 8u) {
    passing |= mayPass(8u, sums) | mayPass(9u, sums) | mayPass(10u, sums) | mayPass(11u, sums);
    passing |= mayPass(12u, sums) | mayPass(13u, sums) | mayPass(14u, sums) | mayPass(15u, sums);
  }
  return passing;
}

fn mayPass(v: u32, sums: ptr<function, Sums>) -> u32 {
  let mine = own[queryOf(v / REF_BLOCKS)];
  let at = refOf(v % REF_BLOCKS) / 4u;
  let values = finish((*sums)[v], mine.x, other[at]);
  let lows = values - halvesAt(values, mine, at);
  // A value that is not a number may pass: its key decides.
  return select(0u, 1u << v, any(!(lows > mine.wwww)));
}

// Moves the vectors whose bits are set to the slab, where there is room, from `slot` on.
fn keepThose(turn: u32, slot: u32, sums: ptr<function, Sums>) {
  keep(0u, turn, slot, sums);
  keep(1u, turn, slot, sums);
  keep(2u, turn, slot, sums);
  keep(3u, turn, slot, sums);
  if (VECTORS > 4u) {
    keep(4u, turn, slot, sums);
    keep(5u, turn, slot, sums);
    keep(6u, turn, slot, sums);
    keep(7u, turn, slot, sums);
  }
  if (VECTORS > 8u) {
    keep(8u, turn, slot, sums);
    keep(9u, turn, slot, sums);
    keep(10u, turn, slot, sums);
    keep(11u, turn, slot, sums);
    keep(12u, turn, slot, sums);
    keep(13u, turn, slot, sums);
    keep(14u, turn, slot, sums);
    keep(15u, turn, slot, sums);
  }
}

fn keep(v: u32, turn: u32, slot: u32, sums: ptr<function, Sums>) {
  let at = slot + countOneBits(turn & ((1u << v) - 1u));
  if ((turn & (1u << v)) != 0u && at < EPILOGUE_SLAB) {
    slab[at] = (*sums)[v];
    waitingAt[at] = (queryOf(v / REF_BLOCKS) << 16u) | refOf(v % REF_BLOCKS);
  }
}

// Appends the pairs that pass among the vectors that wait.
fn share(found: u32, lane: u32, firstQuery: u32, firstRef: u32) {
  for (var at = lane; at < found; at += THREADS) {
    let mine = own[waitingAt[at] >> 16u];
    let four = (waitingAt[at] & 0xffffu) / 4u;
    let query = firstQuery + (waitingAt[at] >> 16u);
    let reference = firstRef + four * 4u;
    let values = finish(slab[at], mine.x, other[four]);
    let halves = halvesAt(values, mine, four);
    let lows = values - halves;
    let highs = values + halves;
    var passing = 0u;
    for (var e = 0u; e < 4u; e++) {
      let there = query < params.queryRows && reference + e < params.refRows;
      if (there && competes(query, lows[e], mine.w)) {
        passing |= 1u << e;
      }
    }
    if (passing != 0u) {
      let slot = atomicAdd(&scratch[query], countOneBits(passing));
      for (var e = 0u; e < 4u; e++) {
        if ((passing & (1u << e)) != 0u) {
          append(query, slot + countOneBits(passing & ((1u << e) - 1u)), reference + e, lows[e], highs[e]);
        }
      }
    }
  }
}

// @param four numbers four consecutive references of the tile
fn halvesAt(values: vec4f, mine: vec4f, four: u32) -> vec4f {
  let products = other[(OTHER_PARTS / 2u) * OTHER_PITCH + four];
  return halvesOf(values, mine, products, other[(OTHER_PARTS - 1u) * OTHER_PITCH + four]);
}
