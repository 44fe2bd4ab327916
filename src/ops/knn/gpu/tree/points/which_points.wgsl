// This snippet tells which points may be neighbours of a query, and what stands where there are too few.
// Globals: RADIUS, SELF, ROOT; params (within); LARGEST (query_gap).

// This row stands where there is no neighbour. It comes after all others.
const NO_POINT: u32 = 0xffffffffu;

// Returns the value that no neighbour exceeds.
fn farthest() -> f32 {
  return select(LARGEST, params.within, RADIUS == 1u);
}

fn isLeftOut(query: u32, row: u32) -> bool {
  return SELF == 1u && row == query;
}

fn distanceOf(value: f32, row: u32) -> f32 {
  let distance = select(value, sqrt(value), ROOT == 1u);
  return select(distance, LARGEST, RADIUS == 1u && row == NO_POINT);
}
