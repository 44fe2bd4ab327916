// Chebyshev distance: max |q-r|.
// Globals: none.

fn accumulate(largest: f32, a: vec4f, b: vec4f) -> f32 {
  let size = abs(a - b);
  return max(max(largest, max(size.x, size.y)), max(size.z, size.w));
}

fn finish(largest: f32, baseQuery: f32, baseRef: f32) -> f32 {
  return largest;
}
