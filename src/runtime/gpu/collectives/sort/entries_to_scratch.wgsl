// This is a target of write_entries: lists that are to be sorted in scratch, from its beginning on.
// Globals: scratch.

fn writeEntry(row: u32, at: u32, entry: vec2u) {
  scratch[at] = entry;
}
