// This kernel compares whole the pairs that bytes did not rule out. One workgroup computes those of one
// query, a lane one pair at a time. It keeps in their place the ones that pass its limit, with their
// intervals, and counts them anew. Where more were appended than there is room for, it leaves the count. With
// EVERY nothing was appended, and all pairs of the window are compared.
//
// Globals: EVERY, CUT, THREADS; params; heads, scratch; limited, competes (knn_append); scanExclusive,
// scanTotal; foundPairs and wholeInterval (compare_rows or compare_bytes).

var<workgroup> appended: u32;
// Four lanes that follow one another are a quad, where the device has subgroups.
var<private> laneOfQuad: u32;

@each_workgroup(params.queryRows)
fn main(query: u32, lane: u32) {
  if (lane == 0u) {
    appended = select(atomicLoad(&scratch[query]), params.refRows, EVERY);
  }
  let found = workgroupUniformLoad(&appended);
  if (lane == 0u && found > 0u) {
    foundPairs(query, found);
  }
  if (found == 0u || found > params.room) {
    return;
  }
  laneOfQuad = lane % 4u;
  let own = limited(query);
  var kept = 0u;
  for (var begin = 0u; begin < found; begin += THREADS) {
    let there = begin + lane < found;
    let at = select(0u, begin + lane, there);
    let row = select(atomicLoad(&scratch[placeOf(query, at)]), params.firstRow + at, EVERY);
    let interval = wholeInterval(query, row, own);
    let passes = there && competes(query, interval.x, own.w);
    let slot = kept + scanExclusive(lane, select(0u, 1u, passes));
    storageBarrier();
    if (passes) {
      let to = placeOf(query, slot);
      atomicStore(&scratch[to], row);
      atomicStore(&scratch[to + 1u], bitcast<u32>(interval.x));
      atomicStore(&scratch[to + 2u], bitcast<u32>(interval.y));
    }
    kept += workgroupUniformLoad(&scanTotal);
  }
  if (lane == 0u) {
    atomicStore(&scratch[query], kept);
  }
}

fn placeOf(query: u32, slot: u32) -> u32 {
  return params.begin + (query * params.room + slot) * 3u;
}
