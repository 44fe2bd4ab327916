// This snippet of compare_bytes sums the products of a pair of rows that are bytes.
//
// Globals: params (words, queryBytes: see compare_bytes); quantized; products (compare_bytes).

fn byteSum(query: u32, reference: u32) -> i32 {
  var sum = 0;
  for (var word = 0u; word < params.words; word++) {
    let own = quantized[params.queryBytes + query * params.words + word];
    sum += products(own, quantized[reference * params.words + word]);
  }
  return sum;
}
