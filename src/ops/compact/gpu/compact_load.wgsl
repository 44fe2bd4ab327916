// Reads the flags of a tile of compact.
// Globals: scan_tile, kept_tile, flagsAt (flags_*), params.count.

struct Tile {
  // Bit 4 * i + j is 1 where element j of vector i is kept.
  kept: u32,
}

fn loadTile(tile: u32, thread: u32) -> Tile {
  let first = tile * TILE_VECTORS + thread;
  var held: Tile;
  for (var i = 0u; i < VECTORS; i++) {
    let at = first + i * THREADS;
    if (at * 4u < params.count) {
      held.kept |= (flagsAt(at) & inside(at)) << (4u * i);
    }
  }
  return held;
}
