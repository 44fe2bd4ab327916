// Last pass of knn.search: sorted entries (key, index) as distances and indices.
// Globals: THREADS, NOT_NEGATIVE, ROOT; params; scratch, distances, indices; linearGroup; bitsOfKey.

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let at = linearGroup(group, groups) * THREADS + lane;
  if (at < params.count) {
    let entry = scratch[at];
    var distance = bitcast<f32>(bitsOfKey(entry.x));
    if (NOT_NEGATIVE) {
      distance = max(distance, 0.0);
    }
    if (ROOT) {
      distance = sqrt(distance);
    }
    distances[at] = distance;
    indices[at] = entry.y;
  }
}
