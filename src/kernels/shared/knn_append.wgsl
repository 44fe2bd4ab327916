// What knn_distance and knn_few do with a sum where lists have a threshold already: pairs that pass it are noted in scratch, in
// any order: [query] how many there were, then from word params.begin on [query][params.room] row index, low end, high end of
// those there was room for. Few pass, so one comparison of floats usually decides; its limit is never too low.
//
// Globals: CUT; params; heads, scratch (atomic); keyOf (knn_interval); keyOfBits.

// The meta of a query, and in the fourth place the limit of knn_limits.
fn limited(query: u32) -> vec4f {
  let at = params.limits + query * 4u;
  return bitcast<vec4f>(vec4u(
    atomicLoad(&scratch[at]),
    atomicLoad(&scratch[at + 1u]),
    atomicLoad(&scratch[at + 2u]),
    atomicLoad(&scratch[at + 3u]),
  ));
}

// Of a pair whose low end is not above the limit; a row past the end is no pair.
fn append(query: u32, reference: u32, interval: vec2f) {
  if (query >= params.queryRows || reference >= params.refRows) {
    return;
  }
  let head = heads[query];
  let full = head.x >= params.k;
  if (full && keyOf(interval.x) > keyOfBits(head.y) - select(0u, 1u, CUT)) {
    return;
  }
  let slot = atomicAdd(&scratch[query], 1u);
  if (slot < params.room) {
    let at = params.begin + (query * params.room + slot) * 3u;
    atomicStore(&scratch[at], params.firstRow + reference);
    atomicStore(&scratch[at + 1u], bitcast<u32>(interval.x));
    atomicStore(&scratch[at + 2u], bitcast<u32>(interval.y));
  }
}
