// What compact keeps: indices.
// Globals: params.capacity, indices.

fn keptElements(at: u32) -> vec4u {
  return vec4u();
}

fn keep(to: u32, element: u32, index: u32) {
  if (to < params.capacity) {
    indices[to] = index;
  }
}
