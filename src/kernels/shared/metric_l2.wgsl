// Square of the Euclidean distance: sum (q-r)^2, without cancellation.
// Explicit fma leaves a compiler nothing to fuse, so that a pair has the same value in every kernel.
// Globals: none.

fn accumulate(sum: f32, a: vec4f, b: vec4f) -> f32 {
  let d = a - b;
  return fma(d.w, d.w, fma(d.z, d.z, fma(d.y, d.y, fma(d.x, d.x, sum))));
}

fn finish(sum: f32, baseQuery: f32, baseRef: f32) -> f32 {
  return sum;
}
