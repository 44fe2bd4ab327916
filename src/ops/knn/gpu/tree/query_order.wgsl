// This pass of knn.treeFilter lists the queries cell by cell, and has each begin at the root.
//
// Globals: THREADS, WORDS; params; heads, starts, scratch.

@each_lane(params.queryRows)
fn main(query: u32) {
  let own = WORDS + 2u * params.queryRows + 2u * query;
  scratch[WORDS + starts[scratch[own]] + scratch[own + 1u]] = query;
  scratch[own] = 1u;
  scratch[own + 1u] = 0u;
  heads[query] = vec2u();
  if (query == 0u) {
    scratch[0] = params.queryRows;
  }
}
