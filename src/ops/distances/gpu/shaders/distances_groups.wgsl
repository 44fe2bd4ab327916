// The only pass of distances.groups finds the largest product and the largest margin of GROUP rows next to
// each other. Globals: THREADS, GROUP; params; metas, refGroups.

@each_lane(params.count)
fn main(at: u32) {
  var widest = vec4f();
  for (var row = at * GROUP; row < min(params.rows, (at + 1u) * GROUP); row++) {
    widest = max(widest, metas[row]);
  }
  refGroups[at] = widest.yz;
}
