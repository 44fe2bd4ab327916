// The first pass of knn.treeFilter forgets what was in the buffers.
//
// Globals: THREADS, WORDS; params; counts, scratch.

@each_lane(max(params.queryRows, WORDS))
fn main(at: u32) {
  if (at < params.queryRows) {
    counts[at] = 0u;
  }
  if (at < WORDS) {
    scratch[at] = 0u;
  }
}
