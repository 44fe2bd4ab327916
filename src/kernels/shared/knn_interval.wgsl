// The interval of a pair from its value and the metas of its rows, or with CUT the value itself; see knn.filter.
// Explicit fma leaves a compiler nothing to fuse, so that a pair has the same interval wherever it is computed.
// Globals: CUT; params.slack; keyOfBits.

fn intervalOf(value: f32, query: vec4f, reference: vec4f) -> vec2f {
  if (CUT) {
    return vec2f(value);
  }
  let half = fma(params.slack, abs(value), fma(query.y, reference.y, query.z + reference.z));
  return vec2f(value - half, value + half);
}

fn keyOf(value: f32) -> u32 {
  return keyOfBits(bitcast<u32>(value));
}
