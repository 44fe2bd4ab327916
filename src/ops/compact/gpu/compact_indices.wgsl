// compact with this snippet keeps indices.
// Globals: params.capacity, indices.

const KEEPS_ELEMENTS: bool = false;
const KEEPS_INDICES: bool = true;

fn keepElement(to: u32, element: u32) {}

fn keepIndex(to: u32, index: u32) {
  if (to < params.capacity) {
    indices[to] = index;
  }
}

fn keepStep(to: u32, step: u32) {}
