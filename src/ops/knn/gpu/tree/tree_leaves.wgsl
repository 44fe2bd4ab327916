// This pass of knn.tree makes the box of every leaf.
//
// Globals: THREADS; params; items, refMeta, boxes; leafBegin.

@each_lane(params.first)
fn main(leaf: u32) {
  let begin = leafBegin(leaf);
  let first = bitcast<vec3f>(items[begin].xyz);
  var least = vec4f(first, 0.0);
  var largest = first;
  for (var at = begin; at < leafBegin(leaf + 1u); at++) {
    let item = items[at];
    let point = bitcast<vec3f>(item.xyz);
    least = vec4f(min(least.xyz, point), max(least.w, refMeta[item.w].z));
    largest = max(largest, point);
  }
  let node = params.first + leaf;
  boxes[2u * node] = least;
  boxes[2u * node + 1u] = vec4f(largest, 0.0);
}
