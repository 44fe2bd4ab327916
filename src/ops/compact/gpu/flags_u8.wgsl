// Reads four flags of a byte each, and returns a bit for each that is not 0.
// Globals: flags.

fn flagsAt(at: u32) -> u32 {
  let bytes = flags[at];
  // The highest bit of each byte is set where the byte is not 0; then these bits are gathered in the highest
  // four of the word.
  let nonzero = (((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes) & 0x80808080u;
  return ((nonzero >> 7u) * 0x10204080u) >> 28u;
}
