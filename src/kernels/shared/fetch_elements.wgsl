// Reads the elements of those vectors of a tile of which any is kept.
// Globals: scan_begin, kept_tile, input.

fn fetchTile(tile: u32, thread: u32, begun: ptr<function, Begun>) {
  let first = tile * TILE_VECTORS + thread;
  for (var i = 0u; i < VECTORS; i++) {
    if (keptOf((*begun).tile.kept, i) != 0u) {
      (*begun).tile.elements[i] = input[first + i * THREADS];
    }
  }
}
