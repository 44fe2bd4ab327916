// This kernel sums up the pairs of a few queries, where reading the references is what takes time. Every
// reference is read once, by ROW_LANES lanes together, for QUERIES of them. A snippet, few_rows or few_bytes,
// says what rows are. Others keep what comes of the sums: few_values and, after it, keep_values or keep_least
// for knn.search; keep_ends for knn.fewFilter and knn.fewByteFilter.
//
// A lane holds, for ROWS references and all queries, what its columns add. A snippet, parts_subgroup or
// parts_workgroup, joins the parts of a pair. Workgroups of more queries follow each other, so that they find
// their references in a cache.
//
// Globals: QUERIES, ROWS, ROW_LANES, THREADS; params (depth: the vectors of a row); Part, Vector, refVector,
// queryVector, addVector; rowOf, joinParts; finishKeeping.

const TEAMS: u32 = THREADS / ROW_LANES;
const PAIRS: u32 = ROWS * QUERIES;
const SPAN: u32 = TEAMS * ROWS;
const_assert PAIRS <= 32u;

// This is the first query of the workgroup.
var<private> firstQuery: u32;

@each_workgroup
fn main(number: u32, lane: u32) {
  let blocks = (params.queryRows + QUERIES - 1u) / QUERIES;
  let first = number / blocks * SPAN;
  firstQuery = number % blocks * QUERIES;
  if (first >= params.refRows) {
    return;
  }
  var sums: array<Part, PAIRS>;
  for (var vector = lane % ROW_LANES; vector < params.depth; vector += ROW_LANES) {
    var rows: array<Vector, ROWS>;
    for (var r = 0u; r < ROWS; r++) {
      let reference = min(first + rowOf(r, lane / ROW_LANES), params.refRows - 1u);
      rows[r] = refVector(reference, vector);
    }
    for (var q = 0u; q < QUERIES; q++) {
      let own = queryVector(min(firstQuery + q, params.queryRows - 1u), vector);
      for (var r = 0u; r < ROWS; r++) {
        sums[r * QUERIES + q] = addVector(sums[r * QUERIES + q], own, rows[r], vector);
      }
    }
  }
  joinParts(&sums, lane, first);
  finishKeeping(lane, first);
}
