// This snippet makes quotients of two counts: see knn.mixedFilter in distance/contract/mixed.ts. A sum is u +
// 4096 e of u columns that differ and e that are equal and not false, fewer than 4096 in all, which float32
// adds exactly.
// Globals: GAPS; params.neither.

// Differences beyond this are of a gap.
const GAP_DIFFERENCE: f32 = 0x1p+61;
const FALSE: f32 = -3.0;
const EQUAL: f32 = 4096.0;

fn accumulate(sums: vec4f, a: vec4f, b: vec4f, codes: bool) -> vec4f {
  let d = a - b;
  let equal = select(vec4f(EQUAL), vec4f(), a == vec4f(FALSE));
  let more = sums + select(equal, vec4f(1.0), d != vec4f());
  if (GAPS) {
    return select(sums, more, abs(d) < vec4f(GAP_DIFFERENCE));
  }
  return more;
}

// It returns floor(2^24 u / (u + e)) in whole numbers, twelve bits at a time: divisions of floats may give
// equal quotients different bits.
fn finish(sums: vec4f, baseQuery: f32, bases: vec4f) -> vec4f {
  let both = vec4u(sums);
  let unequal = both & vec4u(4095u);
  let total = max((both >> vec4u(12u)) + unequal, vec4u(1u));
  let high = (unequal << vec4u(12u)) / total;
  let rest = (unequal << vec4u(12u)) - high * total;
  let value = vec4f((high << vec4u(12u)) + (rest << vec4u(12u)) / total);
  return select(value, vec4f(params.neither), both == vec4u());
}
