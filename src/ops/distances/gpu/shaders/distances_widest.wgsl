// The first pass of distances.least finds the largest product and the largest margin of the references of a
// block, one workgroup each. Block b has the tiles b, b + blocks, b + 2 blocks and so on.
// Globals: THREADS, TILE_REFS, GROUP; params; refGroups, widest.

var<workgroup> products: atomic<u32>;
var<workgroup> margins: atomic<u32>;

@each_workgroup(params.blocks)
fn main(block: u32, lane: u32) {
  var most = vec2f();
  for (var i = 4u * lane; placeOf(i, block) < params.refRows; i += 4u * THREADS) {
    // A window may begin within a group, at a multiple of four.
    most = max(most, refGroups[(params.refBegin + placeOf(i, block)) / GROUP]);
  }
  // The order of numbers that are not negative is that of their bits.
  atomicMax(&products, bitcast<u32>(most.x));
  atomicMax(&margins, bitcast<u32>(most.y));
  workgroupBarrier();
  if (lane == 0u) {
    widest[block] = bitcast<vec2f>(vec2u(atomicLoad(&products), atomicLoad(&margins)));
  }
}

// Returns the place of reference number i of a block.
fn placeOf(i: u32, block: u32) -> u32 {
  return (i / TILE_REFS * params.blocks + block) * TILE_REFS + i % TILE_REFS;
}
