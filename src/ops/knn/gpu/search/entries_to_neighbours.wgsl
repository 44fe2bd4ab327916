// This target of write_entries makes distances and indices of keys of values and rows. Globals: NOT_NEGATIVE,
// ROOT; distances, indices; bitsOfKey.

fn writeEntry(row: u32, at: u32, entry: vec2u) {
  var distance = bitcast<f32>(bitsOfKey(entry.x));
  if (NOT_NEGATIVE) {
    distance = max(distance, 0.0);
  }
  if (ROOT) {
    distance = sqrt(distance);
  }
  distances[at] = distance;
  indices[at] = entry.y;
}
