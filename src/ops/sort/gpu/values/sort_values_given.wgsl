// This snippet has the words that keys carry, and puts them into the output.
// Globals: values, sortedValues.

fn firstValue(begin: u32, place: u32) -> u32 {
  return values[begin + place];
}

fn putValue(at: u32, value: u32) {
  sortedValues[at] = value;
}
