// A target of select: the element itself with its bits, and its column.
// Globals: params (inputCols); input, values, indices.

fn writeEntry(row: u32, at: u32, entry: vec2u) {
  let element = row * params.inputCols + entry.y;
  values[at] = input[element / 4u][element % 4u];
  indices[at] = entry.y;
}
