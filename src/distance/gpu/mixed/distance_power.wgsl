// This snippet makes powers of inner products: base(q) + base(r) + weight * (sum q*r + shift)^times. Explicit
// fma leaves a compiler nothing to fuse, so that a pair has the same value in every kernel.
// Globals: params (weight, shift, times).

fn accumulate(sums: vec4f, a: vec4f, b: vec4f, codes: bool) -> vec4f {
  return fma(a, b, sums);
}

fn finish(sums: vec4f, baseQuery: f32, bases: vec4f) -> vec4f {
  let factor = sums + vec4f(params.shift);
  var power = factor;
  for (var i = 1u; i < params.times; i++) {
    power *= factor;
  }
  return fma(vec4f(params.weight), power, vec4f(baseQuery) + bases);
}
