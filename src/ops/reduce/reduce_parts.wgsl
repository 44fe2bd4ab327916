// reduce: a workgroup joins the totals of one row's parts.
// Globals: THREADS, params.rows, params.parts, scratch, output; total_*, reduce_lanes, linear_group.

@compute @workgroup_size(THREADS)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let row = linearGroup(group, groups);
  if (row >= params.rows) {
    return;
  }
  var total = nothing();
  for (var part = thread; part < params.parts; part += THREADS) {
    total = join(total, scratch[row * params.parts + part]);
  }
  total = reduceLanes(thread, THREADS, total);
  if (thread == 0u) {
    output[row] = resultOf(total);
  }
}
