// This snippet is distance_row for rows whose first vectors hold codes.
// Globals: params.codes; accumulate.

fn accumulateRow(sum: f32, a: vec4f, b: vec4f, vector: u32) -> f32 {
  var all = sum;
  for (var i = 0u; i < 4u; i++) {
    all = accumulate(vec4f(all), vec4f(a[i]), vec4f(b[i]), vector < params.codes).x;
  }
  return all;
}
