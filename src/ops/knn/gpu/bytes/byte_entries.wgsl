// This source of write_entries reads the lists that knn.byteRows left, by their keys. Globals: candidates,
// intervals.

fn readEntry(at: u32) -> vec2u {
  return vec2u(bitcast<u32>(intervals[at].x), candidates[at]);
}
