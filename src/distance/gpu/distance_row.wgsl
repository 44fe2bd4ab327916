// This snippet adds four columns of one pair, one after the other, so that a pair has the same value as in
// distance_tile.
// Globals: accumulate.

// @param vector where in the row the columns are: all are numbers
fn accumulateRow(sum: f32, a: vec4f, b: vec4f, vector: u32) -> f32 {
  var all = sum;
  for (var i = 0u; i < 4u; i++) {
    all = accumulate(vec4f(all), vec4f(a[i]), vec4f(b[i]), false).x;
  }
  return all;
}
