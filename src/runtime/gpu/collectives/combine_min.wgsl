// This snippet combines keys to their minimum.
// Globals: Value (u32).

fn combine(a: Value, b: Value) -> Value {
  return min(a, b);
}

fn combine4(a: vec4<Value>, b: vec4<Value>) -> vec4<Value> {
  return min(a, b);
}

fn identity() -> Value {
  return 0xffffffffu;
}
