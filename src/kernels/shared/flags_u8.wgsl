// Flags of one byte: 1 where a flag is not 0.
// Globals: flags.

fn flagsAt(at: u32) -> vec4u {
  let bytes = (vec4u(flags[at]) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(255u);
  return min(bytes, vec4u(1u));
}
