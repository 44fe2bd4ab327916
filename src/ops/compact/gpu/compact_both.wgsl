// compact with this snippet keeps elements and their indices.
// Globals: params.capacity, values, indices.

const KEEPS_ELEMENTS: bool = true;
const KEEPS_INDICES: bool = true;

fn keepElement(to: u32, element: u32) {
  if (to < params.capacity) {
    values[to] = element;
  }
}

fn keepIndex(to: u32, index: u32) {
  if (to < params.capacity) {
    indices[to] = index;
  }
}

fn keepStep(to: u32, step: u32) {}
