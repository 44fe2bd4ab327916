// This snippet keeps all values of knn_few, [query][params.pitch] from params.firstColumn on.
// Globals: params; values.

fn keep(query: u32, reference: u32, bits: u32) {
  values[query * params.pitch + params.firstColumn + reference] = bits;
}

fn finishKeeping(lane: u32, firstRef: u32) {
}
