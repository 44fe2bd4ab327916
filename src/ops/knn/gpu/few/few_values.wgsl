// This snippet makes values of the sums of knn_few; keep_values or keep_least keeps them, NaN past the last
// row up to a multiple of four. Globals: QUERIES; params; finish of one metric; keep.

const NAN: u32 = 0x7fc00000u;

// @param sum is that of a pair of the lane
fn write(pair: u32, reference: u32, sum: f32) {
  let query = pair % QUERIES;
  if (query < params.queryRows && reference < (params.refRows + 3u) / 4u * 4u) {
    let value = bitcast<u32>(finish(vec4f(sum), 0.0, vec4f()).x);
    keep(query, reference, select(NAN, value, reference < params.refRows));
  }
}
