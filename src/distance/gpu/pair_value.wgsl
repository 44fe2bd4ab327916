// This snippet makes the value of a pair of rows, whose metas these are, from what its columns add up to; see
// knn.filter.
// Globals: finish.

fn valueOf(sum: f32, query: vec4f, reference: vec4f) -> f32 {
  return finish(vec4f(sum), query.x, vec4f(reference.x)).x;
}
