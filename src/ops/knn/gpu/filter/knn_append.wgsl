// This snippet of epilogue_append takes a pair where lists have a threshold already. It appends pairs that
// pass the threshold to scratch, in any order: [query] tells how many there were, and from word params.begin
// on [query][params.room] has the row index, low end and high end of those there was room for. Few pass, so
// that one comparison of floats usually decides; its limit is never too low.
//
// Globals: CUT; params; heads, scratch (atomic); keyOf, SMALLEST_NORMAL (distance_interval); keyOfBits.

// Returns the meta of a query, and in the fourth place the limit of knn_limits.
fn limited(query: u32) -> vec4f {
  let at = params.limits + query * 4u;
  return bitcast<vec4f>(vec4u(
    atomicLoad(&scratch[at]),
    atomicLoad(&scratch[at + 1u]),
    atomicLoad(&scratch[at + 2u]),
    atomicLoad(&scratch[at + 3u]),
  ));
}

// Tells whether a pair passes. Below the limit it does; at the limit its key decides.
fn competes(query: u32, low: f32, limit: f32) -> bool {
  if (low > limit) {
    return false;
  }
  if (low < limit && limit != SMALLEST_NORMAL) {
    return true;
  }
  let head = heads[query];
  return head.x < params.k || keyOf(low) <= keyOfBits(head.y) - select(0u, 1u, CUT);
}

// @param slot tells how many of the query's pairs were appended before
fn append(query: u32, slot: u32, reference: u32, low: f32, high: f32) {
  if (slot < params.room) {
    let at = params.begin + (query * params.room + slot) * 3u;
    atomicStore(&scratch[at], params.firstRow + reference);
    atomicStore(&scratch[at + 1u], bitcast<u32>(low));
    atomicStore(&scratch[at + 2u], bitcast<u32>(high));
  }
}
