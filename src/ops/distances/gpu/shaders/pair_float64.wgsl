// This snippet evaluates a pair of rows, which lie on the device as they are, as float64 does: the sum of
// squared differences, over the columns in their order, or of differences (ABSOLUTE), or the largest of these
// (LARGEST).
// Globals: ABSOLUTE, LARGEST; params (depth, stride); queries, refs (vec4u); Float64, difference64, sum64,
// withSquare64, packed64 (float64); isBelow64.

// It returns the bits of the rank.
fn rankOfPair(query: u32, reference: u32) -> vec2u {
  var sum = Float64(vec2u(), 0);
  for (var column = 0u; column < params.depth; column++) {
    let x = refs[reference * params.stride + column];
    let q = queries[query * params.stride + column];
    sum = withPair64(sum, x.x, q.x);
    sum = withPair64(sum, x.y, q.y);
    sum = withPair64(sum, x.z, q.z);
    sum = withPair64(sum, x.w, q.w);
  }
  return packed64(sum);
}

fn withPair64(sum: Float64, x: u32, q: u32) -> Float64 {
  if (!ABSOLUTE) {
    return withSquare64(sum, x, q);
  }
  let difference = difference64(x, q);
  if (all(difference.fraction == vec2u())) {
    return sum;
  }
  if (!LARGEST) {
    return sum64(sum, difference);
  }
  let isLess = sum.exponent < difference.exponent ||
    (sum.exponent == difference.exponent && isBelow64(sum.fraction, difference.fraction));
  if (isLess || all(sum.fraction == vec2u())) {
    return difference;
  }
  return sum;
}
