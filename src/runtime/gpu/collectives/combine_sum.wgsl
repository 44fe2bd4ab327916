// This snippet combines values to their sum: whole numbers wrap.
// Globals: Value.

fn combine(a: Value, b: Value) -> Value {
  return a + b;
}

fn combine4(a: vec4<Value>, b: vec4<Value>) -> vec4<Value> {
  return a + b;
}

fn identity() -> Value {
  return Value();
}
