// Flags of the elements that begin a run: 1 where an element differs from the one before it, but for two NaN.
// Globals: FLOAT, params.continued, input.

fn flagsAt(at: u32) -> vec4u {
  let here = input[at];
  let before = vec4u(input[max(at, 1u) - 1u].w, here.xyz);
  var differ = here != before;
  if (FLOAT) {
    differ &= !(isNaN(here) & isNaN(before));
  }
  let heads = select(vec4u(), vec4u(1u), differ);
  if (at == 0u) {
    return vec4u(1u - params.continued, heads.yzw);
  }
  return heads;
}

fn isNaN(bits: vec4u) -> vec4<bool> {
  return (bits & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
}
