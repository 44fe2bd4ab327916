// This snippet keeps all values of epilogue_whole, [query][params.pitch] from params.firstColumn on.
// Globals: params; values.

// @param reference is the first of the four
fn keepFour(query: u32, reference: u32, bits: vec4u) {
  if (query < params.queryRows && reference < params.refRows) {
    values[(query * params.pitch + params.firstColumn + reference) / 4u] = bits;
  }
}

fn finishKeeping(lane: u32, firstRef: u32) {
}
