// Manhattan distance: sum |q-r|.
// Globals: none.

fn accumulate(sum: f32, a: vec4f, b: vec4f) -> f32 {
  let size = abs(a - b);
  return sum + ((size.x + size.y) + (size.z + size.w));
}

fn finish(sum: f32, baseQuery: f32, baseRef: f32) -> f32 {
  return sum;
}
