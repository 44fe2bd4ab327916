// Keys of f32 for minima and maxima, without a test for NaN in every element: keys of NaN lie beyond those of the infinities. Beyond one
// of them they change no result, as the identity does; beyond the other they show in the result of the vector.
// Globals: identity (combine_*), elementsOf, signs (value_key_f32).

// The keys of -Infinity and of Infinity.
const LEAST_FLOAT: u32 = 0x007fffffu;
const LARGEST_FLOAT: u32 = 0xff800000u;

fn roughValuesOf(words: vec4u) -> vec4u {
  return words ^ (signs(words) | vec4u(0x80000000u));
}

fn isNumber(key: u32) -> bool {
  return key - LEAST_FLOAT <= LARGEST_FLOAT - LEAST_FLOAT;
}

fn onlyNumbers(keys: vec4u) -> vec4u {
  let areNumbers = keys - vec4u(LEAST_FLOAT) <= vec4u(LARGEST_FLOAT - LEAST_FLOAT);
  return select(vec4u(identity()), keys, areNumbers);
}

fn roughElementsOf(keys: vec4u) -> vec4u {
  return keys ^ (~signs(keys) | vec4u(0x80000000u));
}

// For keys of which some may be no number.
fn exactElementsOf(keys: vec4u) -> vec4u {
  return elementsOf(onlyNumbers(keys));
}
