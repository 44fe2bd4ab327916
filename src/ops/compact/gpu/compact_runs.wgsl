// runLength with this snippet keeps for the first element of a run: the element, its index and, where the
// next run is seen, the length. Where there is no room for the next run, its index is kept as the end of the
// last one, which run_counts turns into a length.
// Globals: params.capacity, values, offsets, counts.

const KEEPS_ELEMENTS: bool = true;
const KEEPS_INDICES: bool = true;

fn keepElement(to: u32, element: u32) {
  if (to < params.capacity) {
    values[to] = element;
  }
}

fn keepIndex(to: u32, index: u32) {
  if (to < params.capacity) {
    offsets[to] = index;
  } else if (to == params.capacity && to > 0u) {
    counts[to - 1u] = index;
  }
}

fn keepStep(to: u32, step: u32) {
  if (to + 1u < params.capacity) {
    counts[to] = step;
  }
}
