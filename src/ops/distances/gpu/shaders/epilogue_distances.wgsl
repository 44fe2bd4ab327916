// This epilogue of a tile of distances writes the values of all pairs, [query][pitch], and adds to the
// extremes of each query in the tile's block: its least value and its largest one. A row itself (SELF) is
// left out of that.
//
// Globals: THREADS, TILE_QUERIES, TILE_REFS, PER_QUERY, REF_BLOCKS, CUT, SELF; params; queryMeta, refMeta,
// values, extremes (keys: of the first the complement, so that both rise from 0); Sums; finish; queryOf,
// refOf; keyOfBits.

const LARGEST: f32 = 0x1.fffffep+127;
const EPILOGUE_SLAB: u32 = 0u;

var<workgroup> ends: array<atomic<u32>, 2u * TILE_QUERIES>;

fn epilogueWants(lane: u32, firstQuery: u32) -> bool {
  for (var at = lane; at < 2u * TILE_QUERIES; at += THREADS) {
    atomicStore(&ends[at], 0u);
  }
  return true;
}

fn epilogueBegins(lane: u32, firstRef: u32) {}

fn epilogueSees(turn: u32, rows: mat4x4f) {}

fn epilogue(sums: ptr<function, Sums>, lane: u32, firstQuery: u32, firstRef: u32) {
  var bases: array<vec4f, REF_BLOCKS>;
  for (var b = 0u; b < REF_BLOCKS; b++) {
    for (var e = 0u; e < 4u; e++) {
      bases[b][e] = refMeta[params.refBegin + min(firstRef + refOf(b) + e, params.refRows - 1u)].x;
    }
  }
  for (var i = 0u; i < PER_QUERY; i++) {
    let query = firstQuery + queryOf(i);
    if (query >= params.queryRows) {
      continue;
    }
    let mine = queryMeta[query];
    var least = vec4f(LARGEST);
    var most = vec4f(-LARGEST);
    for (var b = 0u; b < REF_BLOCKS; b++) {
      let reference = firstRef + refOf(b);
      if (reference >= params.refRows) {
        continue;
      }
      var found = finish((*sums)[i * REF_BLOCKS + b], mine.x, bases[b]);
      if (CUT) {
        found = clamp(found, vec4f(params.floor), vec4f(params.ceiling));
      }
      // Rows of values are padded to whole vectors.
      values[(query * params.pitch + params.column + reference) / 4u] = found;
      let place = vec4u(reference) + vec4u(0u, 1u, 2u, 3u);
      var counts = place < vec4u(params.refRows);
      if (SELF) {
        counts &= vec4u(params.refBegin) + place != vec4u(params.ownRow + query);
      }
      least = min(least, select(vec4f(LARGEST), found, counts));
      most = max(most, select(vec4f(-LARGEST), found, counts));
    }
    let low = min(min(least.x, least.y), min(least.z, least.w));
    let high = max(max(most.x, most.y), max(most.z, most.w));
    let at = 2u * queryOf(i);
    if (low < LARGEST) {
      atomicMax(&ends[at], ~keyOfBits(bitcast<u32>(low)));
    }
    if (high > -LARGEST) {
      atomicMax(&ends[at + 1u], keyOfBits(bitcast<u32>(high)));
    }
  }
  workgroupBarrier();
  let block = firstRef / TILE_REFS % params.blocks;
  for (var at = lane; at < 2u * TILE_QUERIES; at += THREADS) {
    let end = atomicLoad(&ends[at]);
    let query = firstQuery + at / 2u;
    let place = 2u * (query * params.blocks + block) + at % 2u;
    if (end > 0u && query < params.queryRows && atomicLoad(&extremes[place]) < end) {
      atomicMax(&extremes[place], end);
    }
    if (params.blocks > 1u) {
      atomicStore(&ends[at], 0u);
    }
  }
}
