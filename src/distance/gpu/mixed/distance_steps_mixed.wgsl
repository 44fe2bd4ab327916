// This snippet adds the columns of a slab of distance_tile, in fours, each of which holds codes or numbers;
// fours past the end are left out.
// Globals: ROW_VECTORS; params (codes: vectors of a row that hold codes; depth); Sums; step.

fn steps(depth: u32, sums: ptr<function, Sums>) {
  for (var i = 0u; i < ROW_VECTORS; i++) {
    if (depth + i < params.codes) {
      step(4u * i, true, sums);
      step(4u * i + 1u, true, sums);
      step(4u * i + 2u, true, sums);
      step(4u * i + 3u, true, sums);
    } else if (depth + i < params.depth) {
      step(4u * i, false, sums);
      step(4u * i + 1u, false, sums);
      step(4u * i + 2u, false, sums);
      step(4u * i + 3u, false, sums);
    }
  }
}
