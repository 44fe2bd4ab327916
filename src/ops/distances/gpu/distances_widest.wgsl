// The first pass of distances.least: one workgroup finds the largest product and the largest margin of the
// references of a block, which are those of every so many tiles.
// Globals: THREADS, TILE_REFS, GROUP; params; refGroups, widest.

var<workgroup> products: atomic<u32>;
var<workgroup> margins: atomic<u32>;

@each_workgroup(params.blocks)
fn main(block: u32, lane: u32) {
  var most = vec2f();
  for (var i = lane; ; i += THREADS) {
    // A window may begin within a group, at a multiple of four.
    let at = ((i / (TILE_REFS / 4u) * params.blocks + block) * (TILE_REFS / 4u) + i % (TILE_REFS / 4u)) * 4u;
    if (at >= params.refRows) {
      break;
    }
    most = max(most, refGroups[(params.refBegin + at) / GROUP]);
  }
  // The order of numbers that are not negative is that of their bits.
  atomicMax(&products, bitcast<u32>(most.x));
  atomicMax(&margins, bitcast<u32>(most.y));
  workgroupBarrier();
  if (lane == 0u) {
    widest[block] = bitcast<vec2f>(vec2u(atomicLoad(&products), atomicLoad(&margins)));
  }
}
