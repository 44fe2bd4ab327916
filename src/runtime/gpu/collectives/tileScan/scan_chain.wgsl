// This kernel is the third pass of a scan in blocks: one workgroup replaces the total of every group by what
// comes before the group, and leaves the total of all.
// Globals: THREADS, params.tiles, params.groups, params.initial, scratch; scan_state.

var<workgroup> totals: array<Value, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) thread: u32) {
  var before = valueOfWord(params.initial);
  for (var first = 0u; first < params.groups; first += THREADS) {
    let at = STATES + params.tiles + first + thread;
    let here = min(THREADS, params.groups - first);
    if (thread < here) {
      totals[thread] = valueOfWord(scratch[at]);
    }
    workgroupBarrier();
    if (thread == 0u) {
      for (var i = 0u; i < here; i++) {
        let total = totals[i];
        totals[i] = before;
        before = combine(before, total);
      }
    }
    workgroupBarrier();
    if (thread < here) {
      scratch[at] = wordOf(totals[thread]);
    }
    workgroupBarrier();
  }
  if (thread == 0u) {
    scratch[TOTAL] = wordOf(before);
  }
}
