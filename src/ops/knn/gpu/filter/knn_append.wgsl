// This snippet of epilogue_append takes a pair where lists have a threshold already. It appends pairs that
// pass it in scratch, in any order: [query] how many there were, then from word params.begin on
// [query][params.room] row index, low end, high end of those there was room for. Few pass, so one comparison
// of floats usually decides; its limit is never too low.
//
// Globals: CUT; params; heads, scratch (atomic); keyOf (distance_interval); keyOfBits.

// The limit that knn_limits stores for zero and subnormal thresholds.
const SMALLEST_NORMAL: f32 = 0x1p-126;

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

// Tells whether a pair passes: it does below the limit; at the limit its key decides.
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

// @param slot the number of the query's pairs that were appended before
fn append(query: u32, slot: u32, reference: u32, low: f32, high: f32) {
  if (slot < params.room) {
    let at = params.begin + (query * params.room + slot) * 3u;
    atomicStore(&scratch[at], params.firstRow + reference);
    atomicStore(&scratch[at + 1u], bitcast<u32>(low));
    atomicStore(&scratch[at + 2u], bitcast<u32>(high));
  }
}
