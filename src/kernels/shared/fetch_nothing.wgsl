// compact needs no elements, or has read them to find the flags.
// Globals: scan_begin.

fn fetchTile(tile: u32, thread: u32, begun: ptr<function, Begun>) {}
