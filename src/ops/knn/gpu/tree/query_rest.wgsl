// The last pass of knn.treeFilter marks the queries that are still waiting after `round` passes.
//
// Globals: THREADS, WORDS, COUNTERS; params; heads, scratch.

@each_lane(params.queryRows)
fn main(at: u32) {
  if (at == 0u) {
    scratch[COUNTERS] += scratch[params.round];
  }
  if (at < scratch[params.round]) {
    heads[scratch[WORDS + (params.round & 1u) * params.queryRows + at]].x = 0xffffffffu;
  }
}
