// This snippet takes f32 as keys. NaN becomes the identity, and the identity NaN.
// Globals: identity (of combine_*), keysOfFloats, floatsOfKeys, areNaN (float_key).

fn valuesOf(bits: vec4u) -> vec4u {
  return select(keysOfFloats(bits), vec4u(identity()), areNaN(bits));
}

fn elementsOf(keys: vec4u) -> vec4u {
  return select(floatsOfKeys(keys), vec4u(0x7fc00000u), keys == vec4u(identity()));
}
