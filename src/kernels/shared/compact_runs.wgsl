// What runLength keeps of the first element of a run: the element, its index, and that index as the end of the run before,
// which run_counts makes a length of.
// Globals: params.capacity, input, values, offsets, counts.

fn keptElements(at: u32) -> vec4u {
  return input[at];
}

fn keep(to: u32, element: u32, index: u32) {
  if (to < params.capacity) {
    values[to] = element;
    offsets[to] = index;
  }
  if (to > 0u && to <= params.capacity) {
    counts[to - 1u] = index;
  }
}
