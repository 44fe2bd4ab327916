// Reads no elements, since only indices are kept.
// Globals: scan_begin.

fn fetchElements(tile: u32, thread: u32, begun: ptr<function, Begun>) -> array<vec4u, VECTORS> {
  return array<vec4u, VECTORS>();
}
