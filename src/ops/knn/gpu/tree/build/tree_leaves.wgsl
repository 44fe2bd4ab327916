// This pass of knn.tree makes the box of every leaf, with the largest margin and, negated, a number that no
// row is lower than: float32 holds 24 bits.
//
// Globals: THREADS; params; points, boxes; leafSpan; marginOf (ref_margins or no_margins).

@each_lane(params.first)
fn main(leaf: u32) {
  let span = leafSpan(leaf);
  let first = bitcast<vec3f>(points[span.x].xyz);
  var least = vec4f(first, 0.0);
  var largest = vec4f(first, -0x1p32);
  for (var at = span.x; at < span.y; at++) {
    let item = points[at];
    let point = bitcast<vec3f>(item.xyz);
    least = vec4f(min(least.xyz, point), max(least.w, marginOf(item.w)));
    largest = max(largest, vec4f(point, -f32(select(item.w & 0xffffff00u, item.w, item.w < 0x1000000u))));
  }
  let node = params.first + leaf;
  boxes[2u * node] = least;
  boxes[2u * node + 1u] = largest;
}
