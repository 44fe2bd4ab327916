// Square of the Euclidean distance: sum (q-r)^2, without cancellation.
// Explicit fma leaves a compiler nothing to fuse, so that a pair has the same value in every kernel.
// Globals: none.

fn accumulate(sums: vec4f, a: vec4f, b: vec4f) -> vec4f {
  let d = a - b;
  return fma(d, d, sums);
}

fn finish(sums: vec4f, baseQuery: f32, bases: vec4f) -> vec4f {
  return sums;
}

fn join(a: f32, b: f32) -> f32 {
  return a + b;
}
