// This snippet keeps a candidate that is still to be merged. Globals: nextEntries.

fn putEntry(to: u32, entry: vec2u) {
  nextEntries[to] = entry;
}
