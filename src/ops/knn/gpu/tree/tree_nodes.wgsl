// A pass of knn.tree: joins the boxes of two nodes to that of the node above, for all nodes of a level.
//
// Globals: THREADS; params; boxes.

@each_lane(params.nodes)
fn main(at: u32) {
  let node = params.first + at;
  let left = 4u * node;
  var least = boxes[left];
  var largest = boxes[left + 1u];
  if (2u * at + 1u < params.below) {
    let other = boxes[left + 2u];
    least = vec4f(min(least.xyz, other.xyz), max(least.w, other.w));
    largest = max(largest, boxes[left + 3u]);
  }
  boxes[2u * node] = least;
  boxes[2u * node + 1u] = largest;
}
