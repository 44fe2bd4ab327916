// runLength, last pass: the lengths of runs, from where they end, but the last one's from the end of the input.
// Globals: THREADS, params.capacity, params.end, counts, offsets, found; linear_group.

@compute @workgroup_size(THREADS)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let runs = found[0];
  let step = groups.x * groups.y * groups.z * THREADS;
  for (var run = linearGroup(group, groups) * THREADS + thread; run < min(runs, params.capacity); run += step) {
    let end = select(counts[run], params.end, run == runs - 1u);
    counts[run] = end - offsets[run];
  }
}
