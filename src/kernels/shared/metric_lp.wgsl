// Minkowski sum: sum |q-r|^p. Differences below the smallest normal count as zero, because pow of such a value goes through
// log2 of what may have been flushed to zero.
// Globals: params.p.

const SMALLEST_NORMAL: f32 = 1.17549435e-38;

fn accumulate(sum: f32, a: vec4f, b: vec4f) -> f32 {
  let size = abs(a - b);
  let power = pow(max(size, vec4f(SMALLEST_NORMAL)), vec4f(params.p));
  let counted = select(vec4f(0.0), power, size >= vec4f(SMALLEST_NORMAL));
  return sum + ((counted.x + counted.y) + (counted.z + counted.w));
}

fn finish(sum: f32, baseQuery: f32, baseRef: f32) -> f32 {
  return sum;
}
