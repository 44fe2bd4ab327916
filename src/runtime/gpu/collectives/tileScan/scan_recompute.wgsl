// This kernel does a scan in one pass again when it gave up: every tile again, from the totals, all of which
// were left. There are few workgroups, since they nearly always find nothing to do.
// Globals: THREADS (= GROUP_TILES), params.tiles, params.initial, scratch; scan_begin, storeTile (scan_store
// or the caller's own), scan_state, scan_halves, linear_group.

var<workgroup> needed: u32;
var<workgroup> tilePrefix: Value;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group3: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  if (thread == 0u) {
    needed = scratch[GAVE_UP];
  }
  if (workgroupUniformLoad(&needed) == 0u) {
    return;
  }
  let step = groups.x * groups.y * groups.z;
  for (var tile = linearGroup(group3, groups); tile < params.tiles; tile += step) {
    var begun = beginTile(tile, thread);
    var groupsBefore = valueOfWord(params.initial);
    for (var first = 0u; first + GROUP_TILES <= tile; first += GROUP_TILES) {
      let here = totalOf(first + thread);
      let before = scanLanes(thread, here);
      groupsBefore = combine(groupsBefore, combine(before, here));
      workgroupBarrier();
    }
    var seen = identity();
    if (thread < tile % GROUP_TILES) {
      seen = totalOf(tile - tile % GROUP_TILES + thread);
    }
    let tilesBefore = scanLanes(thread, seen);
    if (thread == LAST) {
      tilePrefix = combine(groupsBefore, tilesBefore);
      if (tile == params.tiles - 1u) {
        scratch[TOTAL] = wordOf(combine(groupsBefore, combine(tilesBefore, begun.total)));
      }
    }
    workgroupBarrier();
    storeTile(tile, thread, &begun, tilePrefix);
    workgroupBarrier();
  }
}

fn totalOf(tile: u32) -> Value {
  return valueOfHalves(scratch[STATES + 2u * tile], scratch[STATES + 2u * tile + 1u]);
}
