// This target of write_entries makes rows and squared distances of keys and rows. Globals: nearRows,
// nearSums; sumOf (byte_key).

fn writeEntry(row: u32, at: u32, entry: vec2u) {
  nearRows[at] = entry.y;
  nearSums[at] = sumOf(bitcast<f32>(entry.x));
}
