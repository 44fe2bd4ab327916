// select for large k: writes the sorted lists as values and columns. Not the sort: sort_block and sort_exchange.
//
// Globals: THREADS; params; scratch; writeEntry; linearGroup.

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let at = linearGroup(group, groups) * THREADS + lane;
  if (at < params.count) {
    writeEntry(at / params.k, at, scratch[params.lists + at]);
  }
}
