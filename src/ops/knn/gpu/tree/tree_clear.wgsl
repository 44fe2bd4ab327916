// This pass of knn.tree forgets the cells and extents of the round before last.
//
// Globals: THREADS; params; nextCounts, extents.

@each_lane(max(params.slots, params.extentWords))
fn main(at: u32) {
  if (at < params.slots) {
    nextCounts[at] = 0u;
  }
  if (at < params.extentWords) {
    extents[at] = 0u;
  }
}
