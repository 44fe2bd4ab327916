// This snippet of knn_compare compares float32 rows.
//
// Globals: params (refBegin, firstRow; counts: of pairs, and of queries without room, in `quantized`);
// refMeta, quantized; intervalOf, valueOf; rowSum (row_sum or row_sum_quads).

fn foundPairs(query: u32, found: u32) {
  let isTooMany = found > params.room;
  atomicAdd(&quantized[params.counts + select(0u, 1u, isTooMany)], select(found, 1u, isTooMany));
}

fn wholeInterval(query: u32, row: u32, own: vec4f) -> vec2f {
  let reference = row - params.firstRow + params.refBegin;
  let other = refMeta[reference];
  return intervalOf(valueOf(rowSum(query, reference), own, other), own, other);
}
