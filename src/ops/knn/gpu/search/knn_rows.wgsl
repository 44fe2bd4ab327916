// Pass of knn.search: the meta of every row of `rows`, with NORMS its squared length as base.
// Not for certified searches, whose metas the host makes in float64.
//
// ROW_LANES lanes share a row. Globals: NORMS, THREADS, ROW_LANES; params; rows, metas; linearGroup.

var<workgroup> parts: array<f32, THREADS>;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let row = linearGroup(group, groups) * (THREADS / ROW_LANES) + lane / ROW_LANES;
  var sum = 0.0;
  if (NORMS && row < params.count) {
    for (var column = lane % ROW_LANES; column < params.depth; column += ROW_LANES) {
      let four = rows[row * params.stride + column];
      sum += dot(four, four);
    }
  }
  parts[lane] = sum;
  for (var half = ROW_LANES / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane % ROW_LANES < half) {
      parts[lane] += parts[lane + half];
    }
  }
  if (lane % ROW_LANES == 0u && row < params.count) {
    metas[row] = vec4f(parts[lane], 0.0, 0.0, 0.0);
  }
}
