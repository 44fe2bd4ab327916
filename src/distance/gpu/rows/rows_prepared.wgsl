// This snippet turns rows of float32, where they are, into centred, scaled rows with their meta, for
// row_metas.
//
// Entries are read as u32, so that no NaN or infinity is ever an f32.
// Globals: SQUARES; params; rows, centre, seen.

const INFINITY = 0x7f800000u;

var<workgroup> largest: atomic<u32>;
// The largest entries, as bits, that the lane has seen.
var<private> most: vec4u;

fn entriesAt(at: u32, column: u32) -> vec4f {
  let bits = rows[at];
  let finite = (bits & vec4u(INFINITY)) != vec4u(INFINITY);
  let moved = bitcast<vec4f>(select(vec4u(), bits, finite)) - centre[column];
  let size = select(vec4u(INFINITY), bitcast<vec4u>(abs(moved)), finite);
  let entries = select(vec4f(), moved, size <= vec4u(params.limit)) * params.scale;
  // Arithmetic may flush subnormals, which distance.refine would then not see.
  let kept = vec4<bool>(params.scale == 1.0) & (centre[column] == vec4f());
  rows[at] = select(bitcast<vec4u>(entries), select(vec4u(), bits, size <= vec4u(params.limit)), kept);
  most = max(most, size);
  return entries;
}

fn laneEnds() {
  atomicMax(&largest, max(max(most.x, most.y), max(most.z, most.w)));
}

fn metaOf(sum: f32) -> vec4f {
  var norm = sum;
  if (SQUARES) {
    // Squares and partial sums that were flushed count in full.
    norm = sqrt(sum + params.lost);
  }
  return vec4f(
    params.baseFactor * sum,
    params.productFactor * norm,
    params.marginFactor * sum + params.marginConstant,
    0.0,
  );
}

fn groupEnds(lane: u32) {
  workgroupBarrier();
  if (lane == 0u) {
    atomicMax(&seen[0], atomicLoad(&largest));
  }
}
