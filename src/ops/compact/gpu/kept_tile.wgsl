// Which elements of a tile compact keeps.
// Globals: scan_tile, Tile (compact_load, heads), params.count.

const_assert VECTORS <= 8u;

// The lowest four bits are of the elements of vector i.
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

// A bit for each element that the input has, of the four that begin before its end.
fn inside(at: u32) -> u32 {
  return 15u >> (4u - min(params.count - at * 4u, 4u));
}
