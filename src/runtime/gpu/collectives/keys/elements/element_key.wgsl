// This snippet makes u32 keys in the order that elements of a type have: whole numbers by value, floats
// -Infinity ... -0, +0 ... Infinity and every NaN as the largest key. `flip` is what u32 of that order differ
// in: it turns i32 into u32, and reverses the order.
// Globals: FLOAT; params (flip); keysOfFloats, isNumberKey (float_key).

// Keys, but for those of NaN, which lie before or after all others by their sign.
fn roughKeysOf(bits: vec4u) -> vec4u {
  if (!FLOAT) {
    return bits ^ vec4u(params.flip);
  }
  return keysOfFloats(bits) ^ vec4u(params.flip);
}

fn exactKeyOf(rough: u32) -> u32 {
  if (!FLOAT) {
    return rough;
  }
  return select(0xffffffffu, rough, isNumberKey(rough ^ params.flip));
}
