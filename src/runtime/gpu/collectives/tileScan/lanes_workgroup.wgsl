// This snippet makes prefixes over the lanes of a workgroup, where there are no subgroups: one lane in
// sixteen scans for all.
// Globals: THREADS (a multiple of 16), Value, combine, identity (combine_*).

const STRIP: u32 = 16u;
const STRIPS: u32 = THREADS / STRIP;

var<workgroup> laneValues: array<Value, THREADS>;
var<workgroup> stripTotals: array<Value, STRIPS>;

// It gives what comes before the lane. Call it in uniform control flow, again only after a barrier.
fn scanLanes(thread: u32, value: Value) -> Value {
  laneValues[thread] = value;
  workgroupBarrier();
  if (thread < STRIPS) {
    var before = identity();
    for (var lane = thread * STRIP; lane < (thread + 1u) * STRIP; lane++) {
      let here = laneValues[lane];
      laneValues[lane] = before;
      before = combine(before, here);
    }
    stripTotals[thread] = before;
  }
  workgroupBarrier();
  var stripsBefore = identity();
  for (var strip = 0u; strip < thread / STRIP; strip++) {
    stripsBefore = combine(stripsBefore, stripTotals[strip]);
  }
  return combine(stripsBefore, laneValues[thread]);
}
