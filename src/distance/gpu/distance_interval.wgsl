// This snippet makes the interval of a pair from its value and the metas of its rows, or with CUT the value
// itself; see knn.filter. Explicit fma leaves a compiler nothing to fuse, so that a pair has the same
// interval wherever it is computed.
// Globals: CUT; params.slack; keyOfBits.

// A comparison may flush what is smaller, so that this is the limit of pairs where a threshold is zero or
// subnormal.
const SMALLEST_NORMAL: f32 = 0x1p-126;

// It returns half the width of the intervals of a query with four references.
fn halvesOf(values: vec4f, query: vec4f, products: vec4f, margins: vec4f) -> vec4f {
  if (CUT) {
    return vec4f();
  }
  let rest = fma(vec4f(query.y), products, vec4f(query.z) + margins);
  return fma(vec4f(params.slack), abs(values), rest);
}

fn intervalOf(value: f32, query: vec4f, reference: vec4f) -> vec2f {
  let half = halvesOf(vec4f(value), query, vec4f(reference.y), vec4f(reference.z)).x;
  return vec2f(value - half, value + half);
}

fn keyOf(value: f32) -> u32 {
  return keyOfBits(bitcast<u32>(value));
}
