// This metric is the inner product: base(q) + base(r) + weight * sum q*r. With norms as bases and weight -2
// it is the expanded square. Explicit fma leaves a compiler nothing to fuse, so that a pair has the same
// value in every kernel.
// Globals: params.weight.

fn accumulate(sums: vec4f, a: vec4f, b: vec4f, codes: bool) -> vec4f {
  return fma(a, b, sums);
}

fn finish(sums: vec4f, baseQuery: f32, bases: vec4f) -> vec4f {
  return fma(vec4f(params.weight), sums, vec4f(baseQuery) + bases);
}

fn join(a: f32, b: f32) -> f32 {
  return a + b;
}
