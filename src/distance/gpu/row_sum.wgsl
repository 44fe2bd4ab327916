// This snippet sums a pair column by column, so that it has the same value as in distance_tile.
//
// Globals: params (depth, stride: of rows, in vec4f); queries, refs; accumulateRow (distance_row).

// @param reference the row of the buffer `refs`
fn rowSum(query: u32, reference: u32) -> f32 {
  var sum = 0.0;
  for (var column = 0u; column < params.depth; column++) {
    let own = queries[query * params.stride + column];
    sum = accumulateRow(sum, own, refs[reference * params.stride + column], column);
  }
  return sum;
}
