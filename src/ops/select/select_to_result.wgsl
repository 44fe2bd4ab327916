// Target of select: the element itself, bits and all, and its column.
// Globals: params (inputCols); input, values, indices.

fn writeEntry(row: u32, at: u32, entry: vec2u) {
  let element = row * params.inputCols + entry.y;
  values[at] = input[element / 4u][element % 4u];
  indices[at] = entry.y;
}
