// The values of knn.search for a few queries, where reading the references is what takes time: every
// reference is read once, by ROW_LANES lanes together, for all queries. A snippet, keep_values or keep_least,
// keeps the values, NaN past the last row up to a multiple of four.
//
// A lane holds, for ROWS references and all queries, what its columns add; a snippet, parts_subgroup or
// parts_workgroup, joins the parts of a pair.
//
// Globals: QUERIES, ROWS, ROW_LANES, THREADS; params; queries, refs; accumulateRow (distance_row), finish of
// one metric; rowOf, joinParts; keep, finishKeeping.

const TEAMS: u32 = THREADS / ROW_LANES;
const PAIRS: u32 = ROWS * QUERIES;
const SPAN: u32 = TEAMS * ROWS;
const_assert PAIRS <= 32u;

const NAN: u32 = 0x7fc00000u;

@each_workgroup
fn main(number: u32, lane: u32) {
  let first = number * SPAN;
  if (first >= params.refRows) {
    return;
  }
  var sums: array<f32, PAIRS>;
  for (var vector = lane % ROW_LANES; vector < params.depth; vector += ROW_LANES) {
    var rows: array<vec4f, ROWS>;
    for (var r = 0u; r < ROWS; r++) {
      let reference = min(first + rowOf(r, lane / ROW_LANES), params.refRows - 1u);
      rows[r] = refs[reference * params.depth + vector];
    }
    for (var q = 0u; q < QUERIES; q++) {
      let own = queries[min(q, params.queryRows - 1u) * params.depth + vector];
      for (var r = 0u; r < ROWS; r++) {
        sums[r * QUERIES + q] = accumulateRow(sums[r * QUERIES + q], own, rows[r], vector);
      }
    }
  }
  joinParts(&sums, lane, first);
  finishKeeping(lane, first);
}

// @param sum that of a pair of the lane
fn write(pair: u32, reference: u32, sum: f32) {
  let query = pair % QUERIES;
  if (query < params.queryRows && reference < (params.refRows + 3u) / 4u * 4u) {
    let value = bitcast<u32>(finish(vec4f(sum), 0.0, vec4f()).x);
    keep(query, reference, select(NAN, value, reference < params.refRows));
  }
}
