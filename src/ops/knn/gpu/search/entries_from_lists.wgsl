// This source of write_entries reads the lists that knn.filter left with CUT, by the keys of their values.
// Globals: candidates, intervals; keyOfBits.

fn readEntry(at: u32) -> vec2u {
  return vec2u(keyOfBits(bitcast<u32>(intervals[at].x)), candidates[at]);
}
