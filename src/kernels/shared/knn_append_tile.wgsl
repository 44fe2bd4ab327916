// knn_append for the sums of a tile. Vectors of four sums of which one may pass wait in the slab; then the lanes share them out, since few
// pass and lanes would wait for each other. Where more pass than the slab holds, it is done again two queries of a lane at a time.
//
// Globals: THREADS, TILE_QUERIES, TILE_REFS, PER_QUERY, REF_BLOCKS; params; queryMeta, refMeta; Sums; slab; finish; queryOf, refOf;
// halvesOf, intervalOf, valueOf (knn_interval); limited, append.

const LARGEST: f32 = 0x1.fffffep+127;

// Two queries' vectors of every lane fit.
const DELIVERY: u32 = THREADS * 2u * REF_BLOCKS;

// The metas of the tile's queries, with the rough limit in the fourth place; a query past the end has a limit that nothing passes.
var<workgroup> own: array<vec4f, TILE_QUERIES>;
// Those of the tile's references, in fours: all bases, then all products and margins. A row past the end has those of the last.
var<workgroup> other: array<vec4f, OTHER_PARTS * OTHER_PITCH>;
const OTHER_PITCH: u32 = TILE_REFS / 4u;
const OTHER_PARTS: u32 = select(3u, 1u, CUT);

var<workgroup> waiting: atomic<u32>;
var<workgroup> noticed: u32;
// Query and reference of the tile.
var<workgroup> waitingAt: array<vec2u, DELIVERY>;

fn isWanted(lane: u32, firstQuery: u32) -> bool {
  for (var at = lane; at < TILE_QUERIES; at += THREADS) {
    own[at] = select(vec4f(vec3f(), -LARGEST), limited(firstQuery + at), firstQuery + at < params.queryRows);
  }
  return true;
}

fn meet(lane: u32, firstRef: u32) {
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

fn metaOf(reference: u32) -> vec4f {
  return refMeta[params.refBegin + min(reference, params.refRows - 1u)];
}

// When nobody reads the slab any more.
fn deliver(sums: ptr<function, Sums>, lane: u32, firstQuery: u32, firstRef: u32) {
  var together = true;
  for (var i = 0u; i < PER_QUERY; i += 2u) {
    noticeTwo(0u, together || i == 0u, sums);
    noticeTwo(2u, together || i == 2u, sums);
    if (PER_QUERY == 8u) {
      noticeTwo(PER_QUERY - 4u, together || i == 4u, sums);
      noticeTwo(PER_QUERY - 2u, together || i == 6u, sums);
    }
    workgroupBarrier();
    if (lane == 0u) {
      noticed = atomicExchange(&waiting, 0u);
    }
    let found = workgroupUniformLoad(&noticed);
    if (found > DELIVERY) {
      together = false;
      i = 0xfffffffeu; // The next round is the first.
    } else if (found > 0u) {
      share(found, lane, firstQuery, firstRef);
      workgroupBarrier();
    }
    if (together) {
      break;
    }
  }
}

// Of queries number i and i + 1 of the lane.
fn noticeTwo(i: u32, now: bool, sums: ptr<function, Sums>) {
  if (now) {
    notice(queryOf(i), 0u, (*sums)[i * REF_BLOCKS]);
    notice(queryOf(i + 1u), 0u, (*sums)[(i + 1u) * REF_BLOCKS]);
    if (REF_BLOCKS == 2u) {
      notice(queryOf(i), REF_BLOCKS - 1u, (*sums)[(i + 1u) * REF_BLOCKS - 1u]);
      notice(queryOf(i + 1u), REF_BLOCKS - 1u, (*sums)[(i + 2u) * REF_BLOCKS - 1u]);
    }
  }
}

fn notice(query: u32, b: u32, four: vec4f) {
  let mine = own[query];
  let at = refOf(b) / 4u;
  let values = finish(four, mine.x, other[at]);
  let lows = values - halvesOf(values, mine, other[(OTHER_PARTS / 2u) * OTHER_PITCH + at], other[(OTHER_PARTS - 1u) * OTHER_PITCH + at]);
  // What is not a number may pass: its key decides.
  if (any(!(lows > mine.wwww))) {
    let slot = atomicAdd(&waiting, 1u);
    if (slot < DELIVERY) {
      slab[slot] = four;
      waitingAt[slot] = vec2u(query, at * 4u);
    }
  }
}

// Appends those that pass among the vectors that wait.
fn share(found: u32, lane: u32, firstQuery: u32, firstRef: u32) {
  for (var at = lane; at < 4u * found; at += THREADS) {
    let pair = waitingAt[at / 4u] + vec2u(0u, at % 4u);
    let mine = own[pair.x];
    let theirs = otherAt(pair.y);
    let interval = intervalOf(valueOf(slab[at / 4u][at % 4u], mine, theirs), mine, theirs);
    if (!(interval.x > mine.w)) {
      append(firstQuery + pair.x, firstRef + pair.y, interval);
    }
  }
}

fn otherAt(reference: u32) -> vec4f {
  var row: vec4f;
  for (var part = 0u; part < OTHER_PARTS; part++) {
    row[part] = other[part * OTHER_PITCH + reference / 4u][reference % 4u];
  }
  return row;
}
