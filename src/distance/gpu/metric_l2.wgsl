// This metric is the square of the Euclidean distance: sum (q-r)^2, without cancellation. Explicit fma leaves
// a compiler nothing to fuse, so that a pair has the same value in every kernel.
// Globals: none.

fn addDifferences(sums: vec4f, d: vec4f) -> vec4f {
  return fma(d, d, sums);
}

fn join(a: f32, b: f32) -> f32 {
  return a + b;
}
