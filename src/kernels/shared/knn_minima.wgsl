// What knn_distance does with a tile of sums: of every group of GROUP references that follow each other, it writes the keys of
// the least low and the least high end to scratch, [query][1 + groups]. A lane's references follow each other, too.
//
// Minima are taken as floats, which is cheap; where flushed subnormals may have hidden the least, they are taken again as keys.
//
// Globals: CUT, GROUP, TILE_QUERIES, TILE_REFS, PER_QUERY, PER_REF, LANES_REF, LANES_QUERY, THREADS; params; queryMeta,
// refMeta, scratch; Sums; slab; finish; intervalOf, keyOf (knn_interval).

// A row more per lane's run of references, so that the stores of neighbouring lanes fall into different banks.
const REF_RUN: u32 = LANES_REF + 1u;
const REF_PITCH: u32 = PER_REF * REF_RUN + 2u;
// Lanes that share a group, and groups of a tile.
const SPAN: u32 = GROUP / PER_REF;
const TILE_GROUPS: u32 = TILE_REFS / GROUP;
const_assert SPAN * PER_REF == GROUP && TILE_GROUPS * GROUP == TILE_REFS;

// Where lanes share groups, their minima meet in the slab: two queries' in a vector, PAIRS vectors of a lane at a time.
const PAIRS: u32 = min(2u, (PER_QUERY + 1u) / 2u);
const DELIVERY: u32 = select(0u, PAIRS * THREADS, SPAN > 1u);
// Vectors that a lane takes together in one turn.
const FOLD: u32 = 8u;

const LARGEST: f32 = 0x1.fffffep+127;
const NOTHING = vec2u(0xffffffffu);

fn refSlot(reference: u32) -> u32 {
  return (reference % PER_REF) * REF_RUN + reference / PER_REF;
}

// In uniform control flow, when nobody reads the slab any more.
fn deliver(sums: ptr<function, Sums>, lane: u32, firstQuery: u32, firstRef: u32) {
  let begin = firstRef + lane % LANES_REF * PER_REF;
  var metas: array<vec4f, PER_REF>;
  for (var j = 0u; j < PER_REF; j++) {
    if (begin + j < params.refRows) {
      metas[j] = refMeta[params.refBegin + begin + j];
    }
  }
  let tile = vec2u(firstQuery, firstRef / GROUP);
  for (var i = 0u; i < PER_QUERY; i += 2u * PAIRS) {
    for (var pair = 0u; pair < PAIRS; pair++) {
      let at = i + 2u * pair;
      let least = vec4u(
        minimaOf(sums, &metas, at, firstQuery + lane / LANES_REF + at * LANES_QUERY, begin),
        minimaOf(sums, &metas, at + 1u, firstQuery + lane / LANES_REF + (at + 1u) * LANES_QUERY, begin),
      );
      if (SPAN == 1u) {
        write(tile, lane / LANES_REF + at * LANES_QUERY, lane % LANES_REF, least);
      } else {
        slab[pair * THREADS + lane] = least;
      }
    }
    if (SPAN > 1u) {
      foldLanes(lane, tile, i);
    }
  }
}

// Takes the minima in the slab together, FOLD at a time, until those of whole groups are left, and writes them.
fn foldLanes(lane: u32, tile: vec2u, i: u32) {
  var width = LANES_REF;
  for (var span = SPAN; span > 1u; span /= min(FOLD, span)) {
    let fold = min(FOLD, span);
    width /= fold;
    let outputs = PAIRS * LANES_QUERY * width;
    var least = vec4u(0xffffffffu);
    workgroupBarrier();
    if (lane < outputs) {
      for (var step = 0u; step < fold; step++) {
        // Neighbouring lanes begin in different banks.
        least = min(least, slab[lane * fold + (step + lane) % fold]);
      }
    }
    workgroupBarrier();
    if (lane < outputs) {
      if (span > fold) {
        slab[lane] = least;
      } else {
        let row = lane / TILE_GROUPS;
        let query = row % LANES_QUERY + (i + row / LANES_QUERY * 2u) * LANES_QUERY;
        write(tile, query, lane % TILE_GROUPS, least);
      }
    }
  }
}

// The keys of the least ends among the lane's references for its query number i; NOTHING past the last query.
fn minimaOf(
  sums: ptr<function, Sums>,
  metas: ptr<function, array<vec4f, PER_REF>>,
  i: u32,
  query: u32,
  begin: u32,
) -> vec2u {
  if (i >= PER_QUERY || query >= params.queryRows) {
    return NOTHING;
  }
  let own = queryMeta[query];
  var least = vec2f(LARGEST);
  for (var j = 0u; j < PER_REF; j++) {
    let interval = intervalOf(finish((*sums)[i * PER_REF + j], own.x, (*metas)[j].x), own, (*metas)[j]);
    least = select(least, min(least, interval), begin + j < params.refRows);
  }
  let keys = vec2u(keyOf(least.x), keyOf(least.y));
  if (all((bitcast<vec2u>(least) & vec2u(0x7f800000u)) != vec2u(0u))) {
    return keys;
  }
  var exact = NOTHING;
  for (var j = 0u; j < PER_REF; j++) {
    let interval = intervalOf(finish((*sums)[i * PER_REF + j], own.x, (*metas)[j].x), own, (*metas)[j]);
    if (begin + j < params.refRows) {
      exact = min(exact, vec2u(keyOf(interval.x), keyOf(interval.y)));
    }
  }
  return exact;
}

// @param least of the query in the tile and of the one LANES_QUERY further
fn write(tile: vec2u, query: u32, groupInTile: u32, least: vec4u) {
  let group = tile.y + groupInTile;
  if (group + 1u >= params.pitch) {
    return;
  }
  let first = tile.x + query;
  if (first < params.queryRows) {
    scratch[first * params.pitch + 1u + group] = least.xy;
  }
  let second = first + LANES_QUERY;
  if (PER_QUERY > 1u && second < params.queryRows) {
    scratch[second * params.pitch + 1u + group] = least.zw;
  }
}
