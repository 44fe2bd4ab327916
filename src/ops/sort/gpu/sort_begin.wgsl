// This kernel turns the counters of each digit into the places where its keys begin, and decides by which
// digits keys are moved: those that are not the same in all keys, or one that is, since something must be
// moved. Keys go to the output at last, and by way of scratch before. Globals: THREADS (256), DIGITS; params
// (count); scratch; workgroup_scan, sort_state.

var<workgroup> alike: atomic<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) thread: u32) {
  for (var d = 0u; d < DIGITS; d++) {
    let at = COUNTS + d * 256u + thread;
    let here = atomicLoad(&scratch[at]);
    if (here == params.count) {
      atomicOr(&alike, 1u << d);
    }
    atomicStore(&scratch[at], scanExclusive(thread, here));
  }
  workgroupBarrier();
  if (thread > 0u) {
    return;
  }
  var moving = ~atomicLoad(&alike) & ((1u << DIGITS) - 1u);
  if (moving == 0u) {
    moving = 1u;
  }
  var left = countOneBits(moving);
  var source = 0u;
  var odd = 0u;
  for (var d = 0u; d < DIGITS; d++) {
    if ((moving & (1u << d)) != 0u) {
      left--;
      let sink = 2u - (left & 1u);
      atomicStore(&scratch[ROUTES + d], source | (sink << 2u) | (odd << 4u));
      source = sink;
      odd = 1u - odd;
    }
  }
}
