// This snippet of knn_compare compares rows that are bytes, whose distances are whole numbers, as keys. Where
// more pairs were appended than there is room for, the list has overflowed.
//
// Globals: params (words: vectors of a row; queryBytes, refFacts, queryFacts: vectors of `quantized` at which
// they begin; first: the row number of the first reference there; capacity); quantized, heads; keyOfSum
// (byte_key); byteSum (byte_sum or byte_sum_quads).

fn foundPairs(query: u32, found: u32) {
  if (found > params.room) {
    heads[query].x = params.capacity + 1u;
  }
}

fn wholeInterval(query: u32, row: u32, own: vec4f) -> vec2f {
  return vec2f(keyOfPair(query, row - params.first));
}

fn keyOfPair(query: u32, reference: u32) -> f32 {
  let lengths = i32(quantized[params.queryFacts + query].x + quantized[params.refFacts + reference].x);
  return keyOfSum(lengths - 2 * byteSum(query, reference));
}

fn products(a: vec4u, b: vec4u) -> i32 {
  return dot4I8Packed(a.x, b.x) + dot4I8Packed(a.y, b.y) + dot4I8Packed(a.z, b.z) + dot4I8Packed(a.w, b.w);
}
