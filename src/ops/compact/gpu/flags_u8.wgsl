// Flags of one byte: a bit for each of four that is not 0.
// Globals: flags.

fn flagsAt(at: u32) -> u32 {
  let bytes = flags[at];
  // The highest bit of each byte that is not 0; then they are gathered in the highest four of the word.
  let nonzero = (((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes) & 0x80808080u;
  return ((nonzero >> 7u) * 0x10204080u) >> 28u;
}
