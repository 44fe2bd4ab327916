// scan in blocks, first pass: the total of every tile.
// Globals: THREADS, params.tiles, params.mend, scratch; scan_tile, scan_state, linear_group.

var<workgroup> needed: u32;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  if (thread == 0u) {
    needed = select(1u, scratch[GAVE_UP], params.mend != 0u);
  }
  if (workgroupUniformLoad(&needed) == 0u) {
    return;
  }
  let step = groups.x * groups.y * groups.z;
  for (var tile = linearGroup(group, groups); tile < params.tiles; tile += step) {
    let place = placeIn(tile, thread);
    let scanned = scanTile(place, loadTile(place));
    if (thread == 0u) {
      scratch[STATES + tile] = wordOf(scanned.total);
    }
    workgroupBarrier();
  }
}
