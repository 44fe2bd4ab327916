// This snippet tells whether a box may hold a point that comes before the last one so far, by (value, row).
// What is rounded in different places may differ by the last bit, so that boxes a little too far are looked
// at; of those as far as the last one only rows count, or coinciding points would all be compared.
// Globals: boxes.

fn mayHold(node: u32, low: f32, threshold: f32, row: u32) -> bool {
  return (low - low * 0x1p-20 <= threshold) &
    !((low >= threshold) & (-boxes[2u * node + 1u].w > f32(row)));
}
