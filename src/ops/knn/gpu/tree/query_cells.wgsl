// This pass of knn.treeFilter finds the cell of every query in the tree's box, so that queries which follow
// each other visit the same leaves.
//
// Globals: THREADS, WORDS; params; queries, boxes, counts, scratch; cellIn (tree_path).

@each_lane(params.queryRows)
fn main(query: u32) {
  let cell = cellIn(queries[query].xyz, boxes[2].xyz, boxes[3].xyz, firstLeadingBit(params.queryRows));
  let own = WORDS + 2u * params.queryRows + 2u * query;
  scratch[own] = cell;
  scratch[own + 1u] = atomicAdd(&counts[cell], 1u);
}
