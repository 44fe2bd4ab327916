// The last pass of knn.treeFilter: marks the queries that are not done.
//
// Globals: THREADS, WORDS; params; heads, scratch.

@each_lane(params.queryRows)
fn main(query: u32) {
  if (scratch[WORDS + 2u * params.queryRows + 2u * query] != 0u) {
    heads[query].x = 0xffffffffu;
  }
}
