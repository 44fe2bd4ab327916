// Reads the elements of those vectors of a tile of which any element is kept.
// Globals: scan_begin, kept_tile, input.

fn fetchElements(tile: u32, thread: u32, begun: ptr<function, Begun>) -> array<vec4u, VECTORS> {
  let first = tile * TILE_VECTORS + thread;
  var elements: array<vec4u, VECTORS>;
  for (var i = 0u; i < VECTORS; i++) {
    if (keptOf((*begun).tile.kept, i) != 0u) {
      elements[i] = input[first + i * THREADS];
    }
  }
  return elements;
}
