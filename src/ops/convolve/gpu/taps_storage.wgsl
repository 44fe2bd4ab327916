// This snippet reads a tap from a storage buffer.
// Globals: mask; tapIndex.

fn tapAt(number: u32, tap: u32) -> Scalar {
  return mask[tapIndex(number, tap)];
}
