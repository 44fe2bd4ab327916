// u32 as keys: themselves.
// Globals: none.

fn valuesOf(bits: vec4u) -> vec4u {
  return bits;
}

fn elementsOf(keys: vec4u) -> vec4u {
  return keys;
}
