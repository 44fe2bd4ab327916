// This snippet says the margins of rows that were prepared.
// Globals: refMeta.

fn marginOf(row: u32) -> f32 {
  return refMeta[row].z;
}
