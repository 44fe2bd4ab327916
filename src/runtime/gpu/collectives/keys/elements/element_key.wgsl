// u32 keys in the order that elements of a type have: whole numbers by value, floats -Infinity ... -0, +0 ... Infinity and
// every NaN as the largest key. `flip` is what u32 of that order differ in: it turns i32 into u32, and reverses the order.
// Globals: FLOAT; params (flip).

// The keys of -Infinity and of Infinity as they are without `flip`; beyond them is NaN.
const LEAST_FLOAT: u32 = 0x007fffffu;
const LARGEST_FLOAT: u32 = 0xff800000u;

// Keys, but for those of NaN, which lie before or after all others by their sign.
fn roughKeysOf(bits: vec4u) -> vec4u {
  if (!FLOAT) {
    return bits ^ vec4u(params.flip);
  }
  return bits ^ (bitcast<vec4u>(bitcast<vec4i>(bits) >> vec4u(31u)) | vec4u(0x80000000u)) ^ vec4u(params.flip);
}

fn exactKeyOf(rough: u32) -> u32 {
  if (!FLOAT) {
    return rough;
  }
  let isNumber = (rough ^ params.flip) - LEAST_FLOAT <= LARGEST_FLOAT - LEAST_FLOAT;
  return select(0xffffffffu, rough, isNumber);
}
