// Pass of knn.search: the lists that knn.filter left with CUT, as entries (key of the value, index) in scratch, to be sorted.
// Globals: THREADS; params; candidates, intervals, scratch; linearGroup; keyOfBits.

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let at = linearGroup(group, groups) * THREADS + lane;
  if (at < params.count) {
    scratch[at] = vec2u(keyOfBits(bitcast<u32>(intervals[at].x)), candidates[at]);
  }
}
