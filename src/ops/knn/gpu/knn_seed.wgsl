// The only pass of knn.seed. One lane per entry.
//
// Globals: NO_ROW, THREADS; params; bounds, heads, candidates, intervals; linearGroup.

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let at = linearGroup(group, groups) * THREADS + lane;
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
