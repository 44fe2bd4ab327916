// This snippet has rows that begin where `offsets` says, the first of them at the first key.
// Globals: params (base, rows); offsets.

fn rowBegin(row: u32) -> u32 {
  return offsets[row] - params.base;
}

// The row that has this key, so that it is not an empty one.
fn rowOf(at: u32) -> u32 {
  var low = 0u;
  var high = params.rows;
  while (high - low > 1u) {
    let middle = low + (high - low) / 2u;
    if (rowBegin(middle) <= at) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}
