// scan in blocks, first pass: the total of every tile.
// Globals: THREADS, params.tiles, scratch; scan_begin, scan_state, linear_group.

@compute @workgroup_size(THREADS)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let tile = linearGroup(group, groups);
  if (tile >= params.tiles) {
    return;
  }
  let begun = beginTile(tile, thread);
  if (thread == LAST) {
    scratch[STATES + tile] = wordOf(begun.total);
  }
}
