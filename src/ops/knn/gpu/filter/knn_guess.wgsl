// Instead of knn_limits, where references come in no particular order: one workgroup finds the limit of one query, the params.rank-th
// smallest high end of its list, which the k-th of all references to the end of the window should not exceed. knn_settle looks
// whether it did.
//
// Globals: THREADS; params; heads, intervals, scratch; linearGroup; begin (knn_limit); keyOf (knn_interval), bitsOfKey; agreed,
// selectKth (knn_kth).

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let query = linearGroup(group, groups);
  if (query >= params.queryRows) {
    return;
  }
  if (lane == 0u) {
    agreed = heads[query];
  }
  var head = workgroupUniformLoad(&agreed);
  if (head.x >= params.k && head.x <= params.capacity) {
    head.y = bitsOfKey(selectKth(query, lane, head.x, head.x, params.rank).key);
  }
  if (lane == 0u) {
    begin(query, head);
    if (query == 0u) {
      scratch[params.queryRows] = 0u;
    }
  }
}

fn highKey(query: u32, at: u32, listed: u32) -> u32 {
  return keyOf(intervals[query * params.capacity + at].y);
}
