// A source of select_filter: the elements of the input; the index of an element is its column.
// Globals: params; input; roughKeyOf, exactKeyOf (element_key).

fn sourceBegin(row: u32) -> u32 {
  return row * params.cols;
}

// Returns keys, except that those of NaN may come before others. An exact key is never before its rough one.
fn roughKeys(vector: u32) -> vec4u {
  return roughKeysOf(input[vector]);
}

fn exactKey(rough: u32) -> u32 {
  return exactKeyOf(rough);
}

fn sourceIndex(element: u32, rowBegin: u32) -> u32 {
  return element - rowBegin;
}
