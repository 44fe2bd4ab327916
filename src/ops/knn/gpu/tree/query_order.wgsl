// This pass of knn.treeFilter lists the queries cell by cell, and has each begin at the root.
//
// Globals: THREADS, WORDS; params; starts, scratch; putCount (count_lists or count_nothing).

@each_lane(params.queryRows)
fn main(query: u32) {
  let own = WORDS + 2u * params.queryRows + 2u * query;
  scratch[WORDS + starts[scratch[own]] + scratch[own + 1u]] = query;
  scratch[own] = 1u;
  scratch[own + 1u] = 0u;
  putCount(query, 0u, 0x1.fffffep+127);
  if (query == 0u) {
    scratch[0] = params.queryRows;
  }
}
