// Source of select_filter: the elements of the input; the index of an element is its column.
// Globals: params; input; keyOfElement.

fn sourceBegin(row: u32) -> u32 {
  return row * params.cols;
}

fn sourceKeys(vector: u32) -> vec4u {
  let four = input[vector];
  return vec4u(keyOfElement(four.x), keyOfElement(four.y), keyOfElement(four.z), keyOfElement(four.w));
}

fn sourceIndex(element: u32, rowBegin: u32) -> u32 {
  return element - rowBegin;
}
