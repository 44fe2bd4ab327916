// What compact keeps: elements.
// Globals: params.capacity, input, values.

fn keptElements(at: u32) -> vec4u {
  return input[at];
}

fn keep(to: u32, element: u32, index: u32) {
  if (to < params.capacity) {
    values[to] = element;
  }
}
