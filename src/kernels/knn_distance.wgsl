// First pass of knn.filter: the value of every (query, reference) pair of a tile of the distance matrix, tiled through
// workgroup memory like a matrix product. Not the intervals and no selection: those are knn_select.
//
// A workgroup makes TILE_QUERIES x TILE_REFS values, a lane PER_QUERY x PER_REF of them. Rows travel as vec4f along the
// columns, TILE_DEPTH vec4f at a time; rows and columns past the end are loaded as zeros and their values not stored.
//
// Globals: TILE_QUERIES, TILE_REFS, TILE_DEPTH, PER_QUERY, PER_REF, THREADS; params; queries, queryMeta, refs, refMeta,
// scratch; linearGroup; accumulate and finish of one metric.

const LANES_REF: u32 = TILE_REFS / PER_REF;
const LANES_QUERY: u32 = TILE_QUERIES / PER_QUERY;
const_assert LANES_REF * LANES_QUERY == THREADS;

// Two vec4f more than a row of the tile, so that the stores of neighbouring lanes fall into different banks.
const QUERY_PITCH: u32 = TILE_QUERIES + 2u;
const REF_PITCH: u32 = TILE_REFS + 2u;

var<workgroup> queryTile: array<vec4f, TILE_DEPTH * QUERY_PITCH>;
var<workgroup> refTile: array<vec4f, TILE_DEPTH * REF_PITCH>;

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
  var sums: array<f32, PER_QUERY * PER_REF>;

  for (var depth = 0u; depth < params.depth; depth += TILE_DEPTH) {
    loadQueries(lane, firstQuery, depth);
    loadRefs(lane, firstRef, depth);
    workgroupBarrier();
    for (var d = 0u; d < TILE_DEPTH; d++) {
      var q: array<vec4f, PER_QUERY>;
      for (var i = 0u; i < PER_QUERY; i++) {
        q[i] = queryTile[d * QUERY_PITCH + laneQuery + i * LANES_QUERY];
      }
      for (var j = 0u; j < PER_REF; j++) {
        let r = refTile[d * REF_PITCH + laneRef + j * LANES_REF];
        for (var i = 0u; i < PER_QUERY; i++) {
          sums[i * PER_REF + j] = accumulate(sums[i * PER_REF + j], q[i], r);
        }
      }
    }
    workgroupBarrier();
  }

  for (var i = 0u; i < PER_QUERY; i++) {
    let query = firstQuery + laneQuery + i * LANES_QUERY;
    if (query >= params.queryRows) {
      break;
    }
    let baseQuery = queryMeta[query].x;
    for (var j = 0u; j < PER_REF; j++) {
      let reference = firstRef + laneRef + j * LANES_REF;
      if (reference < params.refRows) {
        let value = finish(sums[i * PER_REF + j], baseQuery, refMeta[params.refBegin + reference].x);
        scratch[query * params.pitch + reference] = value;
      }
    }
  }
}

fn loadQueries(lane: u32, firstQuery: u32, depth: u32) {
  for (var at = lane; at < TILE_QUERIES * TILE_DEPTH; at += THREADS) {
    let query = firstQuery + at / TILE_DEPTH;
    let column = depth + at % TILE_DEPTH;
    var loaded = vec4f(0.0);
    if (query < params.queryRows && column < params.depth) {
      loaded = queries[query * params.stride + column];
    }
    queryTile[(at % TILE_DEPTH) * QUERY_PITCH + at / TILE_DEPTH] = loaded;
  }
}

fn loadRefs(lane: u32, firstRef: u32, depth: u32) {
  for (var at = lane; at < TILE_REFS * TILE_DEPTH; at += THREADS) {
    let reference = firstRef + at / TILE_DEPTH;
    let column = depth + at % TILE_DEPTH;
    var loaded = vec4f(0.0);
    if (reference < params.refRows && column < params.depth) {
      loaded = refs[(params.refBegin + reference) * params.stride + column];
    }
    refTile[(at % TILE_DEPTH) * REF_PITCH + at / TILE_DEPTH] = loaded;
  }
}
