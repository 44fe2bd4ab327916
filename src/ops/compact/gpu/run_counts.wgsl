// The last pass of runLength: it writes the lengths that compact_store did not see, those of runs that go on
// where one part of a tile ends, and that of the last run. The places where runs begin ascend, so that a lane
// finds the run at the end of its part by bisection.
// Globals: THREADS, params.capacity, params.count, params.firstIndex, params.part, counts, offsets, found.

@each_lane
fn main(part: u32) {
  let stored = min(found[0], params.capacity);
  let end = (part + 1u) * params.part;
  if (end < params.count) {
    let run = runsBefore(end, stored);
    if (run > 0u && run < stored) {
      counts[run - 1u] = offsets[run] - offsets[run - 1u];
    }
  }
  if (part == 0u && stored > 0u) {
    // Where there was no room for the run after the last, its end was stored in place of the length.
    let last = select(params.firstIndex + params.count, counts[stored - 1u], found[0] > stored);
    counts[stored - 1u] = last - offsets[stored - 1u];
  }
}

// Returns how many runs begin before that element.
fn runsBefore(element: u32, stored: u32) -> u32 {
  var low = 0u;
  var high = stored;
  while (low < high) {
    let middle = low + (high - low) / 2u;
    if (offsets[middle] - params.firstIndex < element) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  return low;
}
