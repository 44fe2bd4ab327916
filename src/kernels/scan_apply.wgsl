// scan in blocks, last pass: every tile scanned again, now with what comes before it.
// Globals: THREADS (= GROUP_TILES), params.tiles, params.mend, scratch; scan_tile, scan_store, scan_state,
// reduce_lanes, linear_group.

var<workgroup> needed: u32;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group3: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  if (thread == 0u) {
    needed = select(1u, scratch[GAVE_UP], params.mend != 0u);
  }
  if (workgroupUniformLoad(&needed) == 0u) {
    return;
  }
  let step = groups.x * groups.y * groups.z;
  for (var tile = linearGroup(group3, groups); tile < params.tiles; tile += step) {
    let place = placeIn(tile, thread);
    let values = loadTile(place);
    let scanned = scanTile(place, values);
    let group = tile / GROUP_TILES;
    var seen = identity();
    if (thread < tile % GROUP_TILES) {
      seen = valueOfWord(scratch[STATES + group * GROUP_TILES + thread]);
    }
    let before = reduceLanes(thread, THREADS, seen);
    let groupsBefore = valueOfWord(scratch[STATES + params.tiles + group]);
    storeTile(place, values, scanned, combine(groupsBefore, before));
    workgroupBarrier();
  }
}
