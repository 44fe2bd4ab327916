// The second pass of reduce: a workgroup joins the totals of one row's parts.
// Globals: THREADS, params.rows, params.parts, scratch, output; total_*, reduce_lanes.

@each_workgroup(params.rows)
fn main(row: u32, thread: u32) {
  var total = nothing();
  for (var part = thread; part < params.parts; part += THREADS) {
    total = join(total, scratch[row * params.parts + part]);
  }
  total = reduceLanes(thread, THREADS, total);
  if (thread == 0u) {
    output[row] = resultOf(total);
  }
}
