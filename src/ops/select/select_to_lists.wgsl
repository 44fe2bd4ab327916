// A target of select_filter: lists in scratch, from entry `writeAt` on; a list shorter than k is filled up
// with entries that come last.
// Globals: params; scratch.

fn writeEntry(row: u32, at: u32, entry: vec2u) {
  scratch[params.writeAt + at] = entry;
}
