// This snippet makes the squared length of four columns of a row, the same bits in every kernel: nothing is
// left for a compiler to fuse.
// Globals: none.

fn squareOf(v: vec4f) -> f32 {
  return fma(v.w, v.w, fma(v.z, v.z, fma(v.y, v.y, v.x * v.x)));
}
