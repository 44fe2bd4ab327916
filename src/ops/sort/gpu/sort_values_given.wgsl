// This snippet fetches the words that keys carry from the input (0) or from scratch (1) or the output (2),
// and puts them into one of the latter. Globals: values, sortedValues, scratchValues.

fn fetchValue(source: u32, begin: u32, place: u32) -> u32 {
  switch (source) {
    case 0u: { return values[begin + place]; }
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
