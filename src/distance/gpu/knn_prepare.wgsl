// The only pass of knn.prepare: rows of float32 become centred, scaled rows with their meta, where they are.
//
// Entries are read as u32, so that no NaN or infinity is ever an f32. ROW_LANES lanes share a row, of which
// SQUARES sums squares, LARGEST takes the largest entry, neither sums magnitudes.
// Globals: SQUARES, LARGEST, THREADS, ROW_LANES; params; rows, centre, metas, look; linearGroup.

const INFINITY = 0x7f800000u;

var<workgroup> parts: array<f32, THREADS>;
var<workgroup> largest: atomic<u32>;

fn joined(a: f32, b: f32) -> f32 {
  return select(a + b, max(a, b), LARGEST);
}

fn powerOf(four: vec4f) -> f32 {
  if (SQUARES) {
    return dot(four, four);
  }
  let size = abs(four);
  return joined(joined(size.x, size.y), joined(size.z, size.w));
}

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let row = linearGroup(group, groups) * (THREADS / ROW_LANES) + lane / ROW_LANES;
  var power = 0.0;
  var most = vec4u();
  if (row < params.count) {
    for (var column = lane % ROW_LANES; column < params.depth; column += ROW_LANES) {
      let at = row * params.stride + column;
      let bits = rows[at];
      let finite = (bits & vec4u(INFINITY)) != vec4u(INFINITY);
      let moved = bitcast<vec4f>(select(vec4u(), bits, finite)) - centre[column];
      let size = select(vec4u(INFINITY), bitcast<vec4u>(abs(moved)), finite);
      let entries = select(vec4f(), moved, size <= vec4u(params.limit)) * params.scale;
      // Arithmetic may flush subnormals, which knn.refine would then not see.
      let kept = vec4<bool>(params.scale == 1.0) & (centre[column] == vec4f());
      rows[at] = select(bitcast<vec4u>(entries), select(vec4u(), bits, size <= vec4u(params.limit)), kept);
      power = joined(power, powerOf(entries));
      most = max(most, size);
    }
  }
  parts[lane] = power;
  atomicMax(&largest, max(max(most.x, most.y), max(most.z, most.w)));
  for (var half = ROW_LANES / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane % ROW_LANES < half) {
      parts[lane] = joined(parts[lane], parts[lane + half]);
    }
  }
  if (lane % ROW_LANES == 0u && row < params.count) {
    let sum = parts[lane];
    var norm = sum;
    if (SQUARES) {
      // Squares and partial sums that were flushed count in full.
      norm = sqrt(sum + params.lost);
    }
    metas[row] = vec4f(
      params.baseFactor * sum,
      params.productFactor * norm,
      params.marginFactor * sum + params.marginConstant,
      0.0,
    );
  }
  workgroupBarrier();
  if (lane == 0u) {
    atomicMax(&look[0], atomicLoad(&largest));
  }
}
