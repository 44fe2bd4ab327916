// This pass of knn.tree joins the boxes of two nodes to that of the node above, for all nodes of a level.
//
// Globals: THREADS; params; boxes.

@each_lane(params.first)
fn main(at: u32) {
  let node = params.first + at;
  let least = boxes[4u * node];
  let otherLeast = boxes[4u * node + 2u];
  boxes[2u * node] = vec4f(min(least.xyz, otherLeast.xyz), max(least.w, otherLeast.w));
  boxes[2u * node + 1u] = max(boxes[4u * node + 1u], boxes[4u * node + 3u]);
}
