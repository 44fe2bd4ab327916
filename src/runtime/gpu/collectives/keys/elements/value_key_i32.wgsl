// This snippet takes i32 as keys, u32 whose order is that of the numbers.
// Globals: none.

fn valuesOf(bits: vec4u) -> vec4u {
  return bits ^ vec4u(0x80000000u);
}

fn elementsOf(keys: vec4u) -> vec4u {
  return keys ^ vec4u(0x80000000u);
}
