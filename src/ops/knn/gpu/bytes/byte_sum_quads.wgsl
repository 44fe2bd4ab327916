// This snippet of compare_bytes sums the products of four pairs by four lanes, each of which takes every
// fourth vector of all four references: side by side they read 64 bytes of one reference after another. They
// then swap sums, until each has that of its own pair.
//
// Globals: params (words, queryBytes: see compare_bytes); quantized; products (compare_bytes); laneOfQuad;
// ofQuad (quad).

fn byteSum(query: u32, reference: u32) -> i32 {
  let begin = params.words * ofQuad(reference);
  var sums = vec4i();
  for (var word = laneOfQuad; word < params.words; word += 4u) {
    let own = quantized[params.queryBytes + query * params.words + word];
    sums += vec4i(
      products(own, quantized[begin.x + word]),
      products(own, quantized[begin.y + word]),
      products(own, quantized[begin.z + word]),
      products(own, quantized[begin.w + word]),
    );
  }
  let isOdd = laneOfQuad % 2u == 1u;
  let two = select(sums.xz, sums.yw, isOdd) + quadSwapX(select(sums.yw, sums.xz, isOdd));
  let isUpper = laneOfQuad >= 2u;
  return select(two.x, two.y, isUpper) + quadSwapY(select(two.y, two.x, isUpper));
}
