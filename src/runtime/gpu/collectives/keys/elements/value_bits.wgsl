// This snippet takes elements as they are: u32, i32 as u32, f32.
// Globals: Value.

fn valuesOf(bits: vec4u) -> vec4<Value> {
  return bitcast<vec4<Value>>(bits);
}

fn elementsOf(values: vec4<Value>) -> vec4u {
  return bitcast<vec4u>(values);
}
