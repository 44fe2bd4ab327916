// With this snippet the parts of knn_few meet by exchange between the lanes of a team, which a subgroup has
// side by side. Each lane gives half of its pairs to a neighbour and takes the neighbour's parts of the other
// half, until all parts of a pair have met.
//
// Globals: ROW_LANES (4 or 8, at most those of a subgroup), ROWS, PAIRS, QUERIES; Part (few_rows or
// few_bytes); join (few_bytes, or that of one metric); write; subgroups.

const_assert (ROW_LANES == 4u || ROW_LANES == 8u) && PAIRS % ROW_LANES == 0u;
const HALF: u32 = PAIRS / 2u;
const QUARTER: u32 = PAIRS / 4u;
const EIGHTH: u32 = PAIRS / 8u;

fn joinParts(sums: ptr<function, array<Part, PAIRS>>, lane: u32, firstRef: u32) {
  let one = (lane & 1u) != 0u;
  for (var i = 0u; i < HALF; i++) {
    let low = (*sums)[i];
    let high = (*sums)[i + HALF];
    (*sums)[i] = join(select(low, high, one), subgroupShuffleXor(select(high, low, one), 1u));
  }
  let two = (lane & 2u) != 0u;
  for (var i = 0u; i < QUARTER; i++) {
    let low = (*sums)[i];
    let high = (*sums)[i + QUARTER];
    (*sums)[i] = join(select(low, high, two), subgroupShuffleXor(select(high, low, two), 2u));
  }
  var first = select(0u, HALF, one) + select(0u, QUARTER, two);
  if (ROW_LANES == 8u) {
    let four = (lane & 4u) != 0u;
    for (var i = 0u; i < EIGHTH; i++) {
      let low = (*sums)[i];
      let high = (*sums)[i + EIGHTH];
      (*sums)[i] = join(select(low, high, four), subgroupShuffleXor(select(high, low, four), 4u));
    }
    first += select(0u, EIGHTH, four);
  }
  for (var i = 0u; i < PAIRS / ROW_LANES; i++) {
    let pair = first + i;
    write(pair, firstRef + rowOf(pair / QUERIES, lane / ROW_LANES), (*sums)[i]);
  }
}

// Returns the row of number r of a team's references, so that what the lanes of a subgroup write lies side by
// side.
fn rowOf(r: u32, team: u32) -> u32 {
  return team * ROWS + r;
}
