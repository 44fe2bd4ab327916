// This snippet of compare_rows sums pairs column by column, as distance_tile does, four lanes together: they
// read 64 bytes of one reference after another side by side, and then swap, until each has those of its own.
// A load of as many rows as lanes would take eight times as many lines of the cache.
//
// Globals: params (depth, stride: of rows, in vec4f); queries, refs; accumulateRow; laneOfQuad;
// ofQuad (quad).

alias Two = array<vec4f, 2>;

fn rowSum(query: u32, reference: u32) -> f32 {
  let begin = params.stride * ofQuad(reference);
  let own = query * params.stride;
  var sum = 0.0;
  for (var column = 0u; column < params.depth; column += 4u) {
    let at = begin + min(column + laneOfQuad, params.depth - 1u);
    let ab = swapX(refs[at.x], refs[at.y]);
    let cd = swapX(refs[at.z], refs[at.w]);
    let even = swapY(ab[0], cd[0]);
    let odd = swapY(ab[1], cd[1]);
    let left = params.depth - column;
    sum = accumulateRow(sum, queries[own + column], even[0], column);
    if (left > 1u) {
      sum = accumulateRow(sum, queries[own + column + 1u], odd[0], column + 1u);
    }
    if (left > 2u) {
      sum = accumulateRow(sum, queries[own + column + 2u], even[1], column + 2u);
    }
    if (left > 3u) {
      sum = accumulateRow(sum, queries[own + column + 3u], odd[1], column + 3u);
    }
  }
  return sum;
}

// Two lanes beside each other have vectors of the same two rows. The even one gets those of the first row,
// the odd one those of the second, in the order of the lanes; swapY does so for the pairs of lanes.
fn swapX(first: vec4f, second: vec4f) -> Two {
  let isOdd = laneOfQuad % 2u == 1u;
  let got = quadSwapX(select(second, first, isOdd));
  return Two(select(first, got, isOdd), select(got, second, isOdd));
}

fn swapY(first: vec4f, second: vec4f) -> Two {
  let isOdd = laneOfQuad >= 2u;
  let got = quadSwapY(select(second, first, isOdd));
  return Two(select(first, got, isOdd), select(got, second, isOdd));
}
