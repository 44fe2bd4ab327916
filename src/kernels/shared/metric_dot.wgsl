// Inner product: base(q) + base(r) + weight * sum q*r. With norms as bases and weight -2 it is the expanded square.
// Globals: params.weight.

fn accumulate(sum: f32, a: vec4f, b: vec4f) -> f32 {
  return sum + dot(a, b);
}

fn finish(sum: f32, baseQuery: f32, baseRef: f32) -> f32 {
  return baseQuery + baseRef + params.weight * sum;
}
