// This snippet moves what keys of a merge carry.
// Globals: params (leftAdd, rightAdd); leftValues, rightValues, values.

fn moveLeft(source: u32, place: u32) {
  values[place] = leftValues[source] + params.leftAdd;
}

fn moveRight(source: u32, place: u32) {
  values[place] = rightValues[source] + params.rightAdd;
}
