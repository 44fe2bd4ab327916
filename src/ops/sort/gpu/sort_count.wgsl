// This kernel counts the keys of each value of every digit, in one read. A lane adds a run of equal digits at
// once, so that keys that are alike do not wait for each other. Globals: THREADS, DIGITS, AHEAD (keys
// that a lane loads at once); params (begin,
// count, digits); keys, scratch; sort_key_*, sort_state.

var<workgroup> bins: array<atomic<u32>, DIGITS * 256u>;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  var last: array<u32, DIGITS>;
  var run: array<u32, DIGITS>;
  let step = THREADS * AHEAD;
  for (var first = group.x * step; first < params.count; first += groups.x * step) {
    var held: array<Key, AHEAD>;
    for (var i = 0u; i < AHEAD; i++) {
      held[i] = keys[params.begin + min(first + i * THREADS + thread, params.count - 1u)];
    }
    for (var i = 0u; i < AHEAD; i++) {
      let one = select(0u, 1u, first + i * THREADS + thread < params.count);
      for (var d = 0u; d < DIGITS; d++) {
        let digit = params.digits[d];
        let own = d * 256u + ((ordinalWord(held[i], digit.x) >> digit.y) & digit.z);
        if (own != last[d]) {
          if (run[d] > 0u) {
            atomicAdd(&bins[last[d]], run[d]);
          }
          last[d] = own;
          run[d] = 0u;
        }
        run[d] += one;
      }
    }
  }
  for (var d = 0u; d < DIGITS; d++) {
    if (run[d] > 0u) {
      atomicAdd(&bins[last[d]], run[d]);
    }
  }
  workgroupBarrier();
  for (var at = thread; at < DIGITS * 256u; at += THREADS) {
    let here = atomicLoad(&bins[at]);
    if (here > 0u) {
      atomicAdd(&scratch[COUNTS + at], here);
    }
  }
}
