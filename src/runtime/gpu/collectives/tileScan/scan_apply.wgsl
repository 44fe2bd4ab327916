// This kernel is the last pass of a scan in blocks: it scans every tile again, now with what comes before it.
// Globals: THREADS (= GROUP_TILES), params.tiles, scratch; scan_begin, storeTile (scan_store or the caller's
// own), scan_state.

var<workgroup> tilesBefore: Value;

@each_workgroup(params.tiles)
fn main(tile: u32, thread: u32) {
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
