// This kernel makes float32 rows of bytes that knn_take took, with their metas, whose values are whole and
// need no interval.
//
// Globals: params (count; depth: vectors of a row; words: of a row, bytes, facts: in words of `quantized`);
// quantized, values, metas.

@each_lane(params.count * params.depth)
fn main(at: u32) {
  let row = at / params.depth;
  let column = at % params.depth;
  values[at] = vec4f(unpack4xI8(quantized[params.bytes + row * params.words + column]));
  if (column == 0u) {
    metas[row] = vec4f(f32(quantized[params.facts + 4u * row]), 0.0, 0.0, 0.0);
  }
}
