// Inner product: base(q) + base(r) + weight * sum q*r. With norms as bases and weight -2 it is the expanded square.
// Explicit fma leaves a compiler nothing to fuse, so that a pair has the same value in every kernel.
// Globals: params.weight.

fn accumulate(sum: f32, a: vec4f, b: vec4f) -> f32 {
  return fma(a.w, b.w, fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, sum))));
}

fn finish(sum: f32, baseQuery: f32, baseRef: f32) -> f32 {
  return fma(params.weight, sum, baseQuery + baseRef);
}
