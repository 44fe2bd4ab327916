// Flags of a word: 1 where a flag is not 0.
// Globals: flags.

fn flagsAt(at: u32) -> vec4u {
  return min(flags[at], vec4u(1u));
}
