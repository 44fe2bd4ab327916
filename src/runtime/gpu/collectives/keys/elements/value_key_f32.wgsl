// f32 as keys, u32 whose order is that of the numbers, -0 before +0. NaN becomes the identity, and the identity NaN.
// Integers, because a float comparison may flush subnormals, and WGSL lets it suppose that there is no NaN.
// Globals: identity (of combine_*).

fn valuesOf(bits: vec4u) -> vec4u {
  let keys = bits ^ (signs(bits) | vec4u(0x80000000u));
  return select(keys, vec4u(identity()), (bits & vec4u(0x7fffffffu)) > vec4u(0x7f800000u));
}

fn elementsOf(keys: vec4u) -> vec4u {
  let bits = keys ^ (~signs(keys) | vec4u(0x80000000u));
  return select(bits, vec4u(0x7fc00000u), keys == vec4u(identity()));
}

// The highest bit of each word, in all of its places.
fn signs(words: vec4u) -> vec4u {
  return bitcast<vec4u>(bitcast<vec4i>(words) >> vec4u(31u));
}
