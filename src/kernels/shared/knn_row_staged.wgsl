// The sum of one pair per lane, the references read together through workgroup memory, ROW_DEPTH vec4f of each at a time.
// Globals: THREADS, ROW_DEPTH; params; queries, refs; accumulateRow.

const ROW_PITCH: u32 = THREADS + 1u;

var<workgroup> rowOf: array<u32, THREADS>;
var<workgroup> rows: array<vec4f, ROW_DEPTH * ROW_PITCH>;

// In uniform control flow.
// @param reference row of the buffer `refs`
fn rowSum(lane: u32, query: u32, reference: u32) -> f32 {
  var sum = 0.0;
  rowOf[lane] = reference * params.stride;
  for (var depth = 0u; depth < params.depth; depth += ROW_DEPTH) {
    workgroupBarrier();
    for (var turn = 0u; turn < ROW_DEPTH; turn++) {
      let at = turn * THREADS + lane;
      let column = depth + at % ROW_DEPTH;
      if (column < params.depth) {
        rows[(at % ROW_DEPTH) * ROW_PITCH + at / ROW_DEPTH] = refs[rowOf[at / ROW_DEPTH] + column];
      }
    }
    workgroupBarrier();
    for (var d = 0u; d < min(ROW_DEPTH, params.depth - depth); d++) {
      sum = accumulateRow(sum, queries[query * params.stride + depth + d], rows[d * ROW_PITCH + lane]);
    }
  }
  workgroupBarrier();
  return sum;
}
