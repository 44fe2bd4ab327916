// Values of a scan that are all numbers, from and to the words of an array.
// Globals: Value, valuesOf, elementsOf (value_*).

fn roughValuesOf(words: vec4u) -> vec4<Value> {
  return valuesOf(words);
}

fn isNumber(value: Value) -> bool {
  return true;
}

fn onlyNumbers(values: vec4<Value>) -> vec4<Value> {
  return values;
}

fn roughElementsOf(values: vec4<Value>) -> vec4u {
  return elementsOf(values);
}

// For values of which some may be no number.
fn exactElementsOf(values: vec4<Value>) -> vec4u {
  return elementsOf(values);
}
