// Zeroes words of scratch: what an earlier scan, or anybody else, left there.
// Globals: THREADS, params.words, scratch; linear_group.

@compute @workgroup_size(THREADS)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let word = linearGroup(group, groups) * THREADS + thread;
  if (word < params.words) {
    scratch[word] = 0u;
  }
}
