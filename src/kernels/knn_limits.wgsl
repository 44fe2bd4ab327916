// Before the pairs of a window are compared: the meta of every query with a limit in the fourth place, in scratch from word
// params.limits on, above which no low end passes; and nothing noted yet. One word more says for how many queries there was no room.
//
// Globals: THREADS; params; queryMeta, heads, scratch; linearGroup.

const SMALLEST_NORMAL: f32 = 0x1p-126;
const LARGEST: f32 = 0x1.fffffep+127;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let query = linearGroup(group, groups) * THREADS + lane;
  if (query <= params.queryRows) {
    scratch[query] = 0u;
  }
  if (query < params.queryRows) {
    let own = queryMeta[query];
    let row = vec4f(own.xyz, limitOf(heads[query]));
    for (var i = 0u; i < 4u; i++) {
      scratch[params.limits + query * 4u + i] = bitcast<u32>(row[i]);
    }
  }
}

fn limitOf(head: vec2u) -> f32 {
  if (head.x > params.capacity) {
    return -LARGEST;
  }
  if (head.x < params.k) {
    return LARGEST;
  }
  // A comparison may flush subnormals.
  return select(bitcast<f32>(head.y), SMALLEST_NORMAL, (head.y & 0x7f800000u) == 0u);
}
