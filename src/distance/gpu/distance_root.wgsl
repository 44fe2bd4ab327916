// This is the target of select where squared distances were selected: it writes the root of the element, and
// its column.
// Globals: params (inputCols); input, values, indices.

fn writeEntry(row: u32, at: u32, entry: vec2u) {
  let element = row * params.inputCols + entry.y;
  values[at] = bitcast<u32>(sqrt(bitcast<f32>(input[element / 4u][element % 4u])));
  indices[at] = entry.y;
}
