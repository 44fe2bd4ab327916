// This snippet of knn_quantize reads rows of `refs`.
fn rowsAt(at: u32) -> vec4f {
  return refs[at];
}
