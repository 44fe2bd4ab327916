// This kernel is the first pass of a digit in blocks: it counts the keys of each tile that have each digit.
// Globals: THREADS, ITEMS; params (begin, count, tiles, number, word, shift, mask); loadKeys (sort_keys);
// scratch; sort_tile, sort_state.

var<workgroup> bins: array<atomic<u32>, 256>;
var<workgroup> route: u32;

@each_workgroup(params.tiles)
fn main(tile: u32, thread: u32) {
  if (thread == 0u) {
    route = atomicLoad(&scratch[ROUTES + params.number]);
  }
  let way = workgroupUniformLoad(&route);
  if (way == 0u) {
    return;
  }
  let digit = Digit(params.word, params.shift, params.mask);
  var held: array<Key, ITEMS>;
  loadKeys(sourceOf(way), tile, thread, &held);
  for (var i = 0u; i < ITEMS; i++) {
    if (placeOf(thread, i) < validOf(tile)) {
      atomicAdd(&bins[digitOf(held[i], digit)], 1u);
    }
  }
  workgroupBarrier();
  for (var own = thread; own < 256u; own += THREADS) {
    atomicStore(&scratch[TILES + own * params.tiles + tile], atomicLoad(&bins[own]));
  }
}
