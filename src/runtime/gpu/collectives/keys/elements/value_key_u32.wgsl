// This snippet takes u32 as keys, which are the elements themselves.
// Globals: none.

fn valuesOf(bits: vec4u) -> vec4u {
  return bits;
}

fn elementsOf(keys: vec4u) -> vec4u {
  return keys;
}
