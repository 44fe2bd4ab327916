// Square of the Euclidean distance: sum (q-r)^2, without cancellation.
// Globals: none.

fn accumulate(sum: f32, a: vec4f, b: vec4f) -> f32 {
  let difference = a - b;
  return sum + dot(difference, difference);
}

fn finish(sum: f32, baseQuery: f32, baseRef: f32) -> f32 {
  return sum;
}
