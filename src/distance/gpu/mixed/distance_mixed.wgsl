// This snippet has the metrics of differences, for rows with codes or gaps: see knn.mixedFilter in
// distance/contract/mixed.ts.
// Globals: GAPS, MARKED, RESCALED; params (unit, mark, counts, columns); addDifferences of one metric.

// Differences beyond this are of a gap.
const GAP_DIFFERENCE: f32 = 0x1p+61;
// A pair without a common column has this value.
const NOTHING: f32 = 0x1p+120;

fn accumulate(sums: vec4f, a: vec4f, b: vec4f, codes: bool) -> vec4f {
  let d = a - b;
  var more: vec4f;
  if (codes) {
    more = sums + select(vec4f(), vec4f(params.unit), d != vec4f());
  } else {
    more = addDifferences(sums, d);
  }
  if (MARKED) {
    more = addDifferences(more, vec4f(params.mark));
  }
  if (GAPS) {
    return select(sums, more, abs(d) < vec4f(GAP_DIFFERENCE));
  }
  return more;
}

fn finish(sums: vec4f, baseQuery: f32, bases: vec4f) -> vec4f {
  if (RESCALED) {
    // The bits that both bases have stand for the columns that both rows have.
    let there = countOneBits(vec4u(u32(baseQuery)) & vec4u(bases));
    let value = sums * (vec4f(params.columns) / vec4f(max(there, vec4u(1u))));
    return select(value, vec4f(NOTHING), there == vec4u());
  }
  if (!MARKED) {
    return sums;
  }
  // Marks of counts add up to less than one.
  return select(select(sums, floor(sums), params.counts != 0u), vec4f(NOTHING), sums == vec4f());
}
