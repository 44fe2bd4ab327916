// This kernel is the second pass of a scan in blocks: it makes the total of every group of tiles, a workgroup
// each, combined as scan_chained does it.
// Globals: THREADS (= GROUP_TILES), params.tiles, scratch; scan_state, lanes_*.

@each_workgroup
fn main(group: u32, thread: u32) {
  let first = group * GROUP_TILES;
  if (first >= params.tiles) {
    return;
  }
  let last = min(first + GROUP_TILES, params.tiles) - 1u;
  var seen = identity();
  if (first + thread < last) {
    seen = valueOfWord(scratch[STATES + first + thread]);
  }
  let before = scanLanes(thread, seen);
  if (thread == THREADS - 1u) {
    let total = combine(before, valueOfWord(scratch[STATES + last]));
    scratch[STATES + params.tiles + group] = wordOf(total);
  }
}
