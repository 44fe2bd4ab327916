// This snippet of compare_rows sums a pair column by column, as distance_tile does.
//
// Globals: params (depth, stride: of rows, in vec4f); queries, refs; accumulateRow.

fn rowSum(query: u32, reference: u32) -> f32 {
  var sum = 0.0;
  for (var column = 0u; column < params.depth; column++) {
    let own = queries[query * params.stride + column];
    sum = accumulateRow(sum, own, refs[reference * params.stride + column], column);
  }
  return sum;
}
