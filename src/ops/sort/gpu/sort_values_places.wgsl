// This snippet fetches the words that keys carry: their places in the row at first (0), later
// words in scratch (1) or the output (2), and puts them there.
// Globals: sortedValues, scratchValues.

fn fetchValue(source: u32, begin: u32, place: u32) -> u32 {
  switch (source) {
    case 0u: { return place; }
    case 1u: { return scratchValues[begin + place]; }
    default: { return sortedValues[begin + place]; }
  }
}

fn putValue(sink: u32, at: u32, value: u32) {
  if (sink == 1u) {
    scratchValues[at] = value;
  } else {
    sortedValues[at] = value;
  }
}
