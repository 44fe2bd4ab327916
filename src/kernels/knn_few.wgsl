// The values of knn.search for a few queries, where reading the references is what takes time: every reference is read once, by
// ROW_LANES lanes together, for all queries. They go to `values`, [query][params.pitch] from params.firstColumn on,
// NaN past the last row up to a multiple of four.
//
// A lane holds, for ROWS references and all queries, what its columns add; the parts of a pair then meet in workgroup memory.
//
// Globals: QUERIES, ROWS, ROW_LANES, THREADS; params; queries, refs, values; linearGroup; accumulateRow (knn_row), join and
// finish of one metric.

const TEAMS: u32 = THREADS / ROW_LANES;
const PAIRS: u32 = ROWS * QUERIES;
const_assert PAIRS <= 16u || PAIRS == 32u;
// Pairs whose parts meet at a time: all, or half of them. A loop over more would take the sums out of registers.
const ROUND: u32 = min(16u, PAIRS);

const NAN: u32 = 0x7fc00000u;

var<workgroup> parts: array<f32, ROUND * THREADS>;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let first = linearGroup(group, groups) * TEAMS * ROWS;
  if (first >= params.refRows) {
    return;
  }
  var sums: array<f32, PAIRS>;
  for (var vector = lane % ROW_LANES; vector < params.depth; vector += ROW_LANES) {
    var rows: array<vec4f, ROWS>;
    for (var r = 0u; r < ROWS; r++) {
      let reference = min(first + r * TEAMS + lane / ROW_LANES, params.refRows - 1u);
      rows[r] = refs[reference * params.depth + vector];
    }
    for (var q = 0u; q < QUERIES; q++) {
      let own = queries[min(q, params.queryRows - 1u) * params.depth + vector];
      for (var r = 0u; r < ROWS; r++) {
        sums[r * QUERIES + q] = accumulateRow(sums[r * QUERIES + q], own, rows[r], vector);
      }
    }
  }
  meetParts(0u, &sums, lane, first);
  if (PAIRS > ROUND) {
    meetParts(PAIRS - ROUND, &sums, lane, first);
  }
}

fn meetParts(begin: u32, sums: ptr<function, array<f32, PAIRS>>, lane: u32, firstRef: u32) {
  for (var i = 0u; i < ROUND; i++) {
    parts[i * THREADS + partOf(lane % ROW_LANES, lane / ROW_LANES)] = (*sums)[begin + i];
  }
  workgroupBarrier();
  for (var at = lane; at < ROUND * TEAMS; at += THREADS) {
    let first = at / TEAMS * THREADS;
    var sum = parts[first + partOf(0u, at % TEAMS)];
    for (var i = 1u; i < ROW_LANES; i++) {
      sum = join(sum, parts[first + partOf(i, at % TEAMS)]);
    }
    let pair = begin + at / TEAMS;
    let query = pair % QUERIES;
    let reference = firstRef + pair / QUERIES * TEAMS + at % TEAMS;
    if (query < params.queryRows && reference < (params.refRows + 3u) / 4u * 4u) {
      let value = bitcast<u32>(finish(vec4f(sum), 0.0, vec4f()).x);
      values[query * params.pitch + params.firstColumn + reference] = select(NAN, value, reference < params.refRows);
    }
  }
  workgroupBarrier();
}

// Where part i of a team lies among those of a pair, so that neither teams nor parts next to each other meet in a bank.
fn partOf(i: u32, team: u32) -> u32 {
  return i * TEAMS + (team + 4u * i) % TEAMS;
}
