// This snippet leaves sums as they are.
// Globals: none.

fn isSuspect(largest: u32) -> bool {
  return false;
}

fn magnitude(x: Scalar) -> u32 {
  return 0u;
}

fn checkSum(o: u32, row: u32, mask: u32, first: i32) {}
