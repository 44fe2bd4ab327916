// This kernel is the first pass of a scan in blocks: it makes the total of every tile.
// Globals: THREADS, params.tiles, scratch; scan_begin, scan_state.

@each_workgroup(params.tiles)
fn main(tile: u32, thread: u32) {
  let begun = beginTile(tile, thread);
  if (thread == LAST) {
    scratch[STATES + tile] = wordOf(begun.total);
  }
}
