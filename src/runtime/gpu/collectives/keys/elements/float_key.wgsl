// This snippet turns float32 bits into u32 keys whose order is that of the numbers, -0 before +0, and back.
// NaN lies before or after all others, by its sign. It uses integers, because a float comparison may flush
// subnormals, and WGSL lets it suppose that there is no NaN.
// Globals: none.

// These are the keys of -Infinity and of Infinity; beyond them is NaN.
const LEAST_FLOAT: u32 = 0x007fffffu;
const LARGEST_FLOAT: u32 = 0xff800000u;

fn keysOfFloats(bits: vec4u) -> vec4u {
  return bits ^ (signsOf(bits) | vec4u(0x80000000u));
}

fn floatsOfKeys(keys: vec4u) -> vec4u {
  return keys ^ (~signsOf(keys) | vec4u(0x80000000u));
}

// Returns the highest bit of each word in all of its places.
fn signsOf(words: vec4u) -> vec4u {
  return bitcast<vec4u>(bitcast<vec4i>(words) >> vec4u(31u));
}

fn isNumberKey(key: u32) -> bool {
  return key - LEAST_FLOAT <= LARGEST_FLOAT - LEAST_FLOAT;
}

fn areNaN(bits: vec4u) -> vec4<bool> {
  return (bits & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
}
