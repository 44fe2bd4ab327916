// compact with this snippet keeps elements.
// Globals: params.capacity, values.

const KEEPS_ELEMENTS: bool = true;
const KEEPS_INDICES: bool = false;

fn keepElement(to: u32, element: u32) {
  if (to < params.capacity) {
    values[to] = element;
  }
}

fn keepIndex(to: u32, index: u32) {}

fn keepStep(to: u32, step: u32) {}
