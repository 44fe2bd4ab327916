// Manhattan distance: sum |q-r|.
// Globals: none.

fn accumulate(sums: vec4f, a: vec4f, b: vec4f) -> vec4f {
  return sums + abs(a - b);
}

fn finish(sums: vec4f, baseQuery: f32, bases: vec4f) -> vec4f {
  return sums;
}

fn join(a: f32, b: f32) -> f32 {
  return a + b;
}
