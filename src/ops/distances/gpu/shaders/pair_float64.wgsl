// This snippet evaluates a pair of rows, which lie on the device as they are, as float64 does: the sum of
// squared differences, over the columns in their order.
// Globals: params (depth, stride); queries, refs (vec4u); Float64, withSquare64, packed64 (float64).

// It returns the bits of the rank.
fn rankOfPair(query: u32, reference: u32) -> vec2u {
  var sum = Float64(vec2u(), 0);
  for (var column = 0u; column < params.depth; column++) {
    let x = refs[reference * params.stride + column];
    let q = queries[query * params.stride + column];
    sum = withSquare64(sum, x.x, q.x);
    sum = withSquare64(sum, x.y, q.y);
    sum = withSquare64(sum, x.z, q.z);
    sum = withSquare64(sum, x.w, q.w);
  }
  return packed64(sum);
}
