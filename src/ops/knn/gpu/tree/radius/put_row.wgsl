// This snippet keeps the row of a candidate that is in its place. Globals: nearRows.

fn putEntry(to: u32, entry: vec2u) {
  nearRows[to] = entry.x;
}
