// This is a source of write_entries: lists that were sorted in scratch, from its beginning on.
// Globals: scratch.

fn readEntry(at: u32) -> vec2u {
  return scratch[at];
}
