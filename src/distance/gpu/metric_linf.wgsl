// This metric is the Chebyshev distance: max |q-r|.
// Globals: none.

fn addDifferences(largest: vec4f, d: vec4f) -> vec4f {
  return max(largest, abs(d));
}

fn join(a: f32, b: f32) -> f32 {
  return max(a, b);
}
