// What compact keeps: elements and their indices.
// Globals: params.capacity, input, values, indices.

fn keptElements(at: u32) -> vec4u {
  return input[at];
}

fn keep(to: u32, element: u32, index: u32) {
  if (to < params.capacity) {
    values[to] = element;
    indices[to] = index;
  }
}
