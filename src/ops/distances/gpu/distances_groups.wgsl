// The only pass of distances.groups: the largest product and the largest margin of four rows next to each other.
// Globals: THREADS; params; metas, refGroups.

@each_lane(params.count)
fn main(at: u32) {
  var widest = vec4f();
  for (var i = 0u; i < 4u; i++) {
    widest = max(widest, metas[min(4u * at + i, params.lastRow)]);
  }
  refGroups[at] = widest.yz;
}
