// This snippet reads a tap from uniform memory.
// Globals: params.mask; tapIndex.

fn tapAt(number: u32, tap: u32) -> Scalar {
  let at = tapIndex(number, tap);
  return params.mask[at / 4u][at % 4u];
}
