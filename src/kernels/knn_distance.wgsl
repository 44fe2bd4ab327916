// First pass of knn.filter: the value of every (query, reference) pair of a tile of the distance matrix, tiled through
// workgroup memory like a matrix product. What becomes of the values is the snippet's, knn_values or knn_minima; the
// selection is the next passes'.
//
// A workgroup makes TILE_QUERIES x TILE_REFS values, a lane PER_QUERY x PER_REF of them. Rows travel as vec4f along the
// columns, TILE_DEPTH vec4f at a time; rows and columns past the end are loaded as zeros. Every sum runs over the columns
// in their order, whatever the tile, so that a pair has one value.
//
// Globals: TILE_QUERIES, TILE_REFS, TILE_DEPTH, PER_QUERY, PER_REF, THREADS, AHEAD; params; queries, queryMeta, refs, refMeta,
// scratch; linearGroup; accumulate and finish of one metric; REF_PITCH, REF_RUN, DELIVERY,
// refSlot and deliver.

const LANES_REF: u32 = TILE_REFS / PER_REF;
const LANES_QUERY: u32 = TILE_QUERIES / PER_QUERY;
const_assert LANES_REF * LANES_QUERY == THREADS;

// Two vectors more than a row of the tile, so that the stores of neighbouring lanes fall into different banks.
const QUERY_PITCH: u32 = TILE_QUERIES + 2u;
const REF_SLAB: u32 = TILE_DEPTH * QUERY_PITCH;
const SLAB: u32 = max(REF_SLAB + TILE_DEPTH * REF_PITCH, DELIVERY);

// Vectors of the next slab that a lane loads.
const QUERY_LOADS: u32 = (TILE_QUERIES * TILE_DEPTH + THREADS - 1u) / THREADS;
const REF_LOADS: u32 = (TILE_REFS * TILE_DEPTH + THREADS - 1u) / THREADS;

alias Sums = array<f32, PER_QUERY * PER_REF>;

struct Loaded {
  queries: array<vec4f, QUERY_LOADS>,
  refs: array<vec4f, REF_LOADS>,
}

// Rows of the tile as bits of vec4f, the queries first; then what deliver likes.
var<workgroup> slab: array<vec4u, SLAB>;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  // Query tiles vary fastest: workgroups that run together share reference rows in the cache.
  let tile = linearGroup(group, groups);
  let queryTiles = (params.queryRows + TILE_QUERIES - 1u) / TILE_QUERIES;
  let firstQuery = (tile % queryTiles) * TILE_QUERIES;
  let firstRef = (tile / queryTiles) * TILE_REFS;
  if (firstRef >= params.refRows) {
    return;
  }

  let laneRef = lane % LANES_REF;
  let laneQuery = lane / LANES_REF;
  var sums: Sums;
  var loaded = load(lane, firstQuery, firstRef, 0u);
  for (var depth = 0u; depth < params.depth; depth += TILE_DEPTH) {
    if (!AHEAD && depth > 0u) {
      loaded = load(lane, firstQuery, firstRef, depth);
    }
    place(lane, &loaded);
    workgroupBarrier();
    if (AHEAD) {
      loaded = load(lane, firstQuery, firstRef, depth + TILE_DEPTH);
    }
    for (var d = 0u; d < TILE_DEPTH; d++) {
      var q: array<vec4f, PER_QUERY>;
      for (var i = 0u; i < PER_QUERY; i++) {
        q[i] = bitcast<vec4f>(slab[d * QUERY_PITCH + laneQuery + i * LANES_QUERY]);
      }
      for (var j = 0u; j < PER_REF; j++) {
        let r = bitcast<vec4f>(slab[REF_SLAB + d * REF_PITCH + laneRef + j * REF_RUN]);
        for (var i = 0u; i < PER_QUERY; i++) {
          sums[i * PER_REF + j] = accumulate(sums[i * PER_REF + j], q[i], r);
        }
      }
    }
    workgroupBarrier();
  }
  deliver(&sums, lane, firstQuery, firstRef);
}

// The lane's share of the rows of the tile, TILE_DEPTH vectors from `depth` on.
fn load(lane: u32, firstQuery: u32, firstRef: u32, depth: u32) -> Loaded {
  var loaded: Loaded;
  for (var turn = 0u; turn < QUERY_LOADS; turn++) {
    let at = turn * THREADS + lane;
    let query = firstQuery + at / TILE_DEPTH;
    let column = depth + at % TILE_DEPTH;
    if (at < TILE_QUERIES * TILE_DEPTH && query < params.queryRows && column < params.depth) {
      loaded.queries[turn] = queries[query * params.stride + column];
    }
  }
  for (var turn = 0u; turn < REF_LOADS; turn++) {
    let at = turn * THREADS + lane;
    let reference = firstRef + at / TILE_DEPTH;
    let column = depth + at % TILE_DEPTH;
    if (at < TILE_REFS * TILE_DEPTH && reference < params.refRows && column < params.depth) {
      loaded.refs[turn] = refs[(params.refBegin + reference) * params.stride + column];
    }
  }
  return loaded;
}

fn place(lane: u32, loaded: ptr<function, Loaded>) {
  for (var turn = 0u; turn < QUERY_LOADS; turn++) {
    let at = turn * THREADS + lane;
    if (at < TILE_QUERIES * TILE_DEPTH) {
      slab[(at % TILE_DEPTH) * QUERY_PITCH + at / TILE_DEPTH] = bitcast<vec4u>((*loaded).queries[turn]);
    }
  }
  for (var turn = 0u; turn < REF_LOADS; turn++) {
    let at = turn * THREADS + lane;
    if (at < TILE_REFS * TILE_DEPTH) {
      slab[REF_SLAB + (at % TILE_DEPTH) * REF_PITCH + refSlot(at / TILE_DEPTH)] = bitcast<vec4u>((*loaded).refs[turn]);
    }
  }
}
