// This kernel compares whole the pairs that bytes did not rule out. One workgroup computes those of one
// query, keeps in their place the ones that pass its limit, with their intervals, and counts them anew. Where
// more were appended than there is room for, it leaves the count as it is.
//
// A lane adds up one pair, column by column as distance_tile does.
//
// Globals: CUT, THREADS; params (depth, stride: of rows, in vec4f; counts: of pairs, and of queries without
// room, in `quantized`); queries, refs, refMeta, heads, scratch, quantized; limited, competes (knn_append);
// intervalOf, valueOf; accumulateRow (distance_row); scanExclusive, scanTotal.

var<workgroup> appended: u32;

@each_workgroup(params.queryRows)
fn main(query: u32, lane: u32) {
  if (lane == 0u) {
    appended = atomicLoad(&scratch[query]);
  }
  let found = workgroupUniformLoad(&appended);
  if (lane == 0u && found > 0u) {
    let isTooMany = found > params.room;
    atomicAdd(&quantized[params.counts + select(0u, 1u, isTooMany)], select(found, 1u, isTooMany));
  }
  if (found == 0u || found > params.room) {
    return;
  }
  let own = limited(query);
  var kept = 0u;
  for (var begin = 0u; begin < found; begin += THREADS) {
    let there = begin + lane < found;
    let row = atomicLoad(&scratch[placeOf(query, select(0u, begin + lane, there))]);
    let reference = row - params.firstRow + params.refBegin;
    let other = refMeta[reference];
    let interval = intervalOf(valueOf(rowSum(query, reference), own, other), own, other);
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

fn rowSum(query: u32, reference: u32) -> f32 {
  var sum = 0.0;
  for (var column = 0u; column < params.depth; column++) {
    let own = queries[query * params.stride + column];
    sum = accumulateRow(sum, own, refs[reference * params.stride + column], column);
  }
  return sum;
}
