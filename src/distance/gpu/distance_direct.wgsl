// This snippet has the metrics of differences, for rows of numbers without gaps.
// Globals: addDifferences of one metric.

fn accumulate(sums: vec4f, a: vec4f, b: vec4f, codes: bool) -> vec4f {
  return addDifferences(sums, a - b);
}

fn finish(sums: vec4f, baseQuery: f32, bases: vec4f) -> vec4f {
  return sums;
}
