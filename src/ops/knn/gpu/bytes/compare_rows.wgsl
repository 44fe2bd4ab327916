// This snippet of knn_compare compares float32 rows, column by column as distance_tile does.
//
// Globals: params (depth, stride: of rows, in vec4f; refBegin, firstRow; counts: of pairs, and of queries
// without room, in `quantized`); queries, refs, refMeta, quantized; intervalOf, valueOf; accumulateRow.

fn foundPairs(query: u32, found: u32) {
  let isTooMany = found > params.room;
  atomicAdd(&quantized[params.counts + select(0u, 1u, isTooMany)], select(found, 1u, isTooMany));
}

fn wholeInterval(query: u32, row: u32, own: vec4f) -> vec2f {
  let reference = row - params.firstRow + params.refBegin;
  let other = refMeta[reference];
  return intervalOf(valueOf(rowSum(query, reference), own, other), own, other);
}

fn rowSum(query: u32, reference: u32) -> f32 {
  var sum = 0.0;
  for (var column = 0u; column < params.depth; column++) {
    let own = queries[query * params.stride + column];
    sum = accumulateRow(sum, own, refs[reference * params.stride + column], column);
  }
  return sum;
}
