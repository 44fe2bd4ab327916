// This snippet is for keys that carry nothing.
// Globals: none.

fn fetchValue(source: u32, begin: u32, place: u32) -> u32 {
  return 0u;
}

fn putValue(sink: u32, at: u32, value: u32) {}
