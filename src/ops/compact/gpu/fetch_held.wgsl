// Returns elements that were read already, to find out which are kept.
// Globals: scan_begin, heads.

fn fetchElements(tile: u32, thread: u32, begun: ptr<function, Begun>) -> array<vec4u, VECTORS> {
  return (*begun).tile.elements;
}
