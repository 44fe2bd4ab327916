// This kernel takes rows of bytes as they were uploaded to where bytes are compared: as numbers from -128 to
// 127, filled up with zeros. ROW_LANES lanes share a row. Behind the bytes each row leaves the facts that
// knn_quantize leaves, of which only its squared length is not zero.
//
// Globals: THREADS, ROW_LANES; params (count, first; depth: words of a row of `rows`; words, bytes, facts: in
// words of `quantized`; flip: the bits that turn bytes without a sign into such numbers); rows; quantized.

var<workgroup> lengths: array<i32, THREADS>;

@each_workgroup
fn main(number: u32, lane: u32) {
  let row = number * (THREADS / ROW_LANES) + lane / ROW_LANES;
  let first = lane % ROW_LANES;
  var length = 0;
  if (row < params.count) {
    for (var word = first; word < params.words; word += ROW_LANES) {
      var four = 0u;
      if (word < params.depth) {
        four = rows[(params.first + row) * params.depth + word] ^ params.flip;
      }
      quantized[params.bytes + row * params.words + word] = four;
      length += dot4I8Packed(four, four);
    }
  }
  lengths[lane] = length;
  for (var half = ROW_LANES / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (first < half) {
      lengths[lane] += lengths[lane + half];
    }
  }
  if (first < 4u && row < params.count) {
    quantized[params.facts + 4u * row + first] = select(0u, u32(lengths[lane]), first == 0u);
  }
}
