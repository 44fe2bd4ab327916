// The only pass of knn.seed has one lane per entry.
//
// Globals: NO_ROW, THREADS; params; bounds, heads, candidates, intervals.

@each_lane
fn main(at: u32) {
  let query = at / params.k;
  if (query >= params.queryRows) {
    return;
  }
  let bound = bounds[query];
  let rank = at % params.k;
  let entry = query * params.capacity + rank;
  candidates[entry] = NO_ROW;
  intervals[entry] = vec2u(bound);
  if (rank == 0u) {
    heads[query] = vec2u(params.k, bound);
  }
}
