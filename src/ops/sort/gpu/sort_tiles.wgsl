// This kernel is the second pass of a digit in blocks: a workgroup for each digit turns the counts of the
// tiles into the places where the keys of each begin. Globals: THREADS; params (tiles, number); scratch;
// workgroup_scan, sort_state.

var<workgroup> carry: u32;

@each_workgroup(256u)
fn main(digit: u32, thread: u32) {
  if (thread == 0u) {
    carry = atomicLoad(&scratch[COUNTS + params.number * 256u + digit]);
  }
  for (var first = 0u; first < params.tiles; first += THREADS) {
    let at = TILES + digit * params.tiles + first + thread;
    var here = 0u;
    if (first + thread < params.tiles) {
      here = atomicLoad(&scratch[at]);
    }
    let before = scanExclusive(thread, here) + workgroupUniformLoad(&carry);
    if (first + thread < params.tiles) {
      atomicStore(&scratch[at], before);
    }
    if (thread == 0u) {
      carry += scanTotal;
    }
  }
}
