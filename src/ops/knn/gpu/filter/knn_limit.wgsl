// This snippet begins a window of a query. In scratch, from word params.limits on, it leaves the meta of the
// query with the limit in the fourth place, above which no low end passes; and it sets the number of its
// appended pairs to zero.
//
// Globals: params (k, capacity); queryMeta, scratch; SMALLEST_NORMAL (distance_interval).

const LARGEST: f32 = 0x1.fffffep+127;

// @param head is that of the list; its threshold may differ from the one in heads
fn begin(query: u32, head: vec2u) {
  let own = queryMeta[query];
  let row = vec4f(own.xyz, limitOf(head));
  for (var i = 0u; i < 4u; i++) {
    scratch[params.limits + query * 4u + i] = bitcast<u32>(row[i]);
  }
  scratch[query] = 0u;
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
