// This pass of knn.tree joins the boxes of nodes to those of the nodes above, `up` levels of them. A
// workgroup takes all that lie below one node.
//
// Globals: THREADS (half of 2^up, or more); params; boxes.

var<workgroup> leasts: array<vec4f, THREADS>;
var<workgroup> largests: array<vec4f, THREADS>;

@each_workgroup(params.first)
fn main(group: u32, lane: u32) {
  for (var level = params.up; level > 0u; level--) {
    let isNode = lane < 1u << (level - 1u);
    let node = ((params.first + group) << (level - 1u)) + lane;
    var least: vec4f;
    var largest: vec4f;
    if (isNode && level == params.up) {
      let first = boxes[4u * node];
      let second = boxes[4u * node + 2u];
      least = vec4f(min(first.xyz, second.xyz), max(first.w, second.w));
      largest = max(boxes[4u * node + 1u], boxes[4u * node + 3u]);
    } else if (isNode) {
      let first = leasts[2u * lane];
      let second = leasts[2u * lane + 1u];
      least = vec4f(min(first.xyz, second.xyz), max(first.w, second.w));
      largest = max(largests[2u * lane], largests[2u * lane + 1u]);
    }
    workgroupBarrier();
    if (isNode) {
      leasts[lane] = least;
      largests[lane] = largest;
      boxes[2u * node] = least;
      boxes[2u * node + 1u] = largest;
    }
    workgroupBarrier();
  }
}
