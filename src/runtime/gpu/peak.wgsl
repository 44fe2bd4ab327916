// This kernel multiplies and adds and does nothing else, to see how many multiply-adds a device makes in a
// second: CHAINS sums per lane, each of vec4f.
// Globals: THREADS, CHAINS; params; output.

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var sums: array<vec4f, CHAINS>;
  for (var c = 0u; c < CHAINS; c++) {
    sums[c] = vec4f(f32(id.x + c));
  }
  for (var turn = 0u; turn < params.turns; turn++) {
    for (var c = 0u; c < CHAINS; c++) {
      sums[c] = fma(sums[c], vec4f(params.factor), vec4f(params.term));
    }
  }
  var total = vec4f(0.0);
  for (var c = 0u; c < CHAINS; c++) {
    total += sums[c];
  }
  output[id.x] = total.x + total.y + total.z + total.w;
}
