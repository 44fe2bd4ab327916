// scan in blocks, last pass: every tile scanned again, now with what comes before it.
// Globals: THREADS (= GROUP_TILES), params.tiles, scratch; scan_begin, storeTile (scan_store, compact_store), scan_state,
// linear_group.

var<workgroup> tilesBefore: Value;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group3: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let tile = linearGroup(group3, groups);
  if (tile >= params.tiles) {
    return;
  }
  var begun = beginTile(tile, thread);
  let group = tile / GROUP_TILES;
  var seen = identity();
  if (thread < tile % GROUP_TILES) {
    seen = valueOfWord(scratch[STATES + group * GROUP_TILES + thread]);
  }
  let before = scanLanes(thread, seen);
  if (thread == LAST) {
    tilesBefore = before;
  }
  workgroupBarrier();
  let groupsBefore = valueOfWord(scratch[STATES + params.tiles + group]);
  storeTile(tile, thread, &begun, combine(groupsBefore, tilesBefore));
}
