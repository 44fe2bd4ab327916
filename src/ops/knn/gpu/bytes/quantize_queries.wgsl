// This snippet of knn_quantize reads rows of `queries`.
fn rowsAt(at: u32) -> vec4f {
  return queries[at];
}
