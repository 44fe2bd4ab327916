// This snippet makes the elements of a scan from the values of scan_plain.
// Globals: Value, elementsOf (value_*), runFrom (scan_store).

// It says that easyElements can scan any elements after `before`.
fn isEasy(before: Value) -> bool {
  return true;
}

fn easyElements(before: Value, held: vec4<Value>) -> vec4u {
  return elementsOf(runFrom(before, held));
}

fn otherElements(before: Value, held: vec4<Value>) -> vec4u {
  return easyElements(before, held);
}
