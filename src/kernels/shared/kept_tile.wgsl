// What a tile of compact holds: elements, and which of them are kept.
// Globals: scan_tile, params.count.

struct Tile {
  // Bit 4 * i + j: whether element j of vector i is kept.
  kept: u32,
  // Of vectors that keep any.
  elements: array<vec4u, VECTORS>,
}

const_assert VECTORS <= 8u;

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
