// This metric is the Manhattan distance: sum |q-r|.
// Globals: none.

fn addDifferences(sums: vec4f, d: vec4f) -> vec4f {
  return sums + abs(d);
}

fn join(a: f32, b: f32) -> f32 {
  return a + b;
}
