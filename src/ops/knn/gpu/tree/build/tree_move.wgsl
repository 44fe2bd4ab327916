// This pass of knn.tree moves items to where their cells begin.
//
// Globals: THREADS; params; items, cells, ranks, nextStarts, extents, nextItems, nextCells.

@each_lane(params.rows)
fn main(at: u32) {
  if (params.round > 0u && extents[params.flag] == 0u) {
    return;
  }
  let to = nextStarts[cells[at]] + ranks[at];
  nextItems[to] = items[at];
  nextCells[to] = cells[at];
}
