// Joins one total per lane over runs of `lanes` lanes, a power of two up to THREADS, always in the same
// order; every lane gets its run's total. Call it in uniform control flow, again only after a barrier.
// Globals: THREADS, Total, join.

var<workgroup> laneTotals: array<Total, THREADS>;

fn reduceLanes(thread: u32, lanes: u32, total: Total) -> Total {
  let lane = thread % lanes;
  laneTotals[thread] = total;
  for (var half = lanes / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane < half) {
      laneTotals[thread] = join(laneTotals[thread], laneTotals[thread + half]);
    }
  }
  workgroupBarrier();
  return laneTotals[thread - lane];
}
