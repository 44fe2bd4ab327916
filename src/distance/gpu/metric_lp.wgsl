// This metric is the Minkowski sum: sum |q-r|^p. Differences below the smallest normal count as zero, because
// pow of such a value goes through log2 of what may have been flushed to zero.
// Globals: params.p.

const SMALLEST_POWERED: f32 = 0x1p-126;

fn addDifferences(sums: vec4f, d: vec4f) -> vec4f {
  let size = abs(d);
  let power = pow(max(size, vec4f(SMALLEST_POWERED)), vec4f(params.p));
  return sums + select(vec4f(0.0), power, size >= vec4f(SMALLEST_POWERED));
}

fn join(a: f32, b: f32) -> f32 {
  return a + b;
}
