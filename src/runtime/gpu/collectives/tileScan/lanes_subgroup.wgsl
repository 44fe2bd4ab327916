// This snippet makes prefixes over the lanes of a workgroup, through subgroups of any size. Lanes must follow
// each other (runtime/gpu/traits.ts looks whether they do).
// Globals: THREADS, Value, combine, identity (combine_*); subgroups.

var<workgroup> subgroupTotals: array<Value, THREADS / 4u>;

// It gives what comes before the lane. Call it in uniform control flow, again only after a barrier.
fn scanLanes(thread: u32, value: Value) -> Value {
  let lanes = countOneBits(subgroupBallot(true));
  let size = lanes.x + lanes.y + lanes.z + lanes.w;
  let lane = thread % size;
  let subgroup = thread / size;
  var through = value;
  for (var step = 1u; step < size; step *= 2u) {
    let before = subgroupShuffleUp(through, step);
    if (lane >= step) {
      through = combine(before, through);
    }
  }
  if (lane == size - 1u) {
    subgroupTotals[subgroup] = through;
  }
  let lanesBefore = select(subgroupShuffleUp(through, 1u), identity(), lane == 0u);
  workgroupBarrier();
  var subgroupsBefore = identity();
  for (var i = 0u; i < subgroup; i++) {
    subgroupsBefore = combine(subgroupsBefore, subgroupTotals[i]);
  }
  return combine(subgroupsBefore, lanesBefore);
}
