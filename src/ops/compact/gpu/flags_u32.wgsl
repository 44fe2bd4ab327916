// Reads four flags of a word each, and returns a bit for each that is not 0.
// Globals: flags.

fn flagsAt(at: u32) -> u32 {
  return dot(select(vec4u(), vec4u(1u, 2u, 4u, 8u), flags[at] != vec4u()), vec4u(1u));
}
