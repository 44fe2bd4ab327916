// The elements of a tile that compact keeps, as bits.
// Globals: scan_tile, Tile (compact_load, heads), params.count.

const_assert VECTORS <= 8u;

// Returns the bits of the elements of vector i, as the lowest four.
fn keptOf(kept: u32, i: u32) -> u32 {
  return extractBits(kept, 4u * i, 4u);
}

fn vectorSums(tile: ptr<function, Tile>) -> array<Value, VECTORS> {
  var sums: array<Value, VECTORS>;
  for (var i = 0u; i < VECTORS; i++) {
    sums[i] = countOneBits(keptOf((*tile).kept, i));
  }
  return sums;
}

// Returns a bit for each of the four elements from 4 * at on that the input has.
fn inside(at: u32) -> u32 {
  return 15u >> (4u - min(params.count - at * 4u, 4u));
}
