// This kernel gives the pairs that bytes let pass their distances, which are whole numbers: one workgroup
// takes those of one query, keeps in their place the ones that pass its limit, and counts them anew. Where
// more were appended than there is room for, the list has overflowed.
//
// Globals: THREADS; params (words: vectors of a row; queryBytes, refFacts, queryFacts: vectors of `quantized`
// at which they begin; first: the row number of the first reference there); quantized, heads, scratch;
// limited, competes (knn_append); scanExclusive, scanTotal.

var<workgroup> appended: u32;

@each_workgroup(params.queryRows)
fn main(query: u32, lane: u32) {
  if (lane == 0u) {
    appended = atomicLoad(&scratch[query]);
  }
  let found = workgroupUniformLoad(&appended);
  if (found > params.room && lane == 0u) {
    heads[query].x = params.capacity + 1u;
  }
  if (found == 0u || found > params.room) {
    return;
  }
  let limit = limited(query).w;
  var kept = 0u;
  for (var begin = 0u; begin < found; begin += THREADS) {
    let there = begin + lane < found;
    let row = atomicLoad(&scratch[placeOf(query, select(0u, begin + lane, there))]);
    let distance = distanceOf(query, row - params.first);
    let passes = there && competes(query, distance, limit);
    let slot = kept + scanExclusive(lane, select(0u, 1u, passes));
    storageBarrier();
    if (passes) {
      let to = placeOf(query, slot);
      atomicStore(&scratch[to], row);
      atomicStore(&scratch[to + 1u], bitcast<u32>(distance));
      atomicStore(&scratch[to + 2u], bitcast<u32>(distance));
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

fn distanceOf(query: u32, reference: u32) -> f32 {
  var sum = 0;
  for (var word = 0u; word < params.words; word++) {
    let q = quantized[params.queryBytes + query * params.words + word];
    let r = quantized[reference * params.words + word];
    sum += dot4I8Packed(q.x, r.x) + dot4I8Packed(q.y, r.y);
    sum += dot4I8Packed(q.z, r.z) + dot4I8Packed(q.w, r.w);
  }
  let lengths = i32(quantized[params.queryFacts + query].x + quantized[params.refFacts + reference].x);
  return f32(lengths - 2 * sum);
}
