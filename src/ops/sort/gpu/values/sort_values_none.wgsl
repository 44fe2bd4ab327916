// This snippet is for keys that carry nothing.
// Globals: none.

fn firstValue(begin: u32, place: u32) -> u32 {
  return 0u;
}

fn putValue(at: u32, value: u32) {}
