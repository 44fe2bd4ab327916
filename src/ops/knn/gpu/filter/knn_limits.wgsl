// Before the pairs of a window are compared: the limit of every query is the threshold of its list. One word more says for how many
// queries there was no room.
//
// Globals: THREADS; params; heads, scratch; linearGroup; begin (knn_limit).

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let query = linearGroup(group, groups) * THREADS + lane;
  if (query < params.queryRows) {
    begin(query, heads[query]);
  } else if (query == params.queryRows) {
    scratch[query] = 0u;
  }
}
