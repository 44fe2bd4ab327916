// This snippet says how a scan holds values of a tile where all elements are numbers.
// Globals: Value, valuesOf (value_*), identity (combine_*), sumOf (scan_tile).

fn heldOf(words: vec4u) -> vec4<Value> {
  return valuesOf(words);
}

fn nothing() -> vec4<Value> {
  return vec4<Value>(identity());
}

fn sumOfHeld(held: vec4<Value>) -> Value {
  return sumOf(held);
}

fn isNumber(value: Value) -> bool {
  return true;
}

fn onlyNumbers(held: vec4<Value>) -> vec4<Value> {
  return held;
}
