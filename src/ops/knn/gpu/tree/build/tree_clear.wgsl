// This pass of knn.tree forgets the cells and extents of the round before last. It and those that follow
// leave all as it is in rounds after the first, unless a cell is then crowded.
//
// Globals: THREADS; params; nextCounts, extents.

@each_lane(max(params.slots, params.flag))
fn main(at: u32) {
  if (params.round > 0u && extents[params.flag] == 0u) {
    return;
  }
  if (at < params.slots) {
    nextCounts[at] = 0u;
  }
  if (at < params.flag) {
    extents[at] = 0u;
  }
}
