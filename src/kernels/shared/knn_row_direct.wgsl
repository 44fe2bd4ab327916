// The sum of one pair per lane, each lane reading its own reference.
// Globals: params; queries, refs; accumulateRow.

// @param reference row of the buffer `refs`
fn rowSum(lane: u32, query: u32, reference: u32) -> f32 {
  var sum = 0.0;
  for (var column = 0u; column < params.depth; column++) {
    sum = accumulateRow(sum, queries[query * params.stride + column], refs[reference * params.stride + column]);
  }
  return sum;
}
