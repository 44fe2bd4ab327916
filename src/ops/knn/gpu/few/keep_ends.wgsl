// This snippet takes the intervals of the pairs of knn_few. It keeps the keys of the least low and of the
// least high end of every GROUP references in scratch, [query][1 + groups][2], from word params.begin on.
//
// Globals: CUT (false); GROUP, QUERIES, THREADS, SPAN (references of a workgroup, which begins at a multiple
// of them), firstQuery (knn_few); params; queryMeta, refMeta, scratch; valueOf (pair_value), intervalOf,
// keyOf (distance_interval).

const GROUPS: u32 = SPAN / GROUP;
const_assert SPAN % GROUP == 0u;

// These are the least keys, [query][group], with all bits flipped, so that 0 is nothing.
var<workgroup> lows: array<atomic<u32>, QUERIES * GROUPS>;
var<workgroup> highs: array<atomic<u32>, QUERIES * GROUPS>;

// @param sum is that of a pair of the lane
fn write(pair: u32, reference: u32, sum: f32) {
  let query = firstQuery + pair % QUERIES;
  if (query < params.queryRows && reference < params.refRows) {
    let own = queryMeta[query];
    let other = refMeta[params.refBegin + reference];
    let interval = intervalOf(valueOf(sum, own, other), own, other);
    let at = pair % QUERIES * GROUPS + reference % SPAN / GROUP;
    atomicMax(&lows[at], ~keyOf(interval.x));
    atomicMax(&highs[at], ~keyOf(interval.y));
  }
}

fn finishKeeping(lane: u32, firstRef: u32) {
  workgroupBarrier();
  let count = min(QUERIES, params.queryRows - firstQuery);
  for (var at = lane; at < count * GROUPS; at += THREADS) {
    let group = firstRef / GROUP + at % GROUPS;
    if (group * GROUP < params.refRows) {
      let word = params.begin + ((firstQuery + at / GROUPS) * params.pitch + 1u + group) * 2u;
      scratch[word] = ~atomicLoad(&lows[at]);
      scratch[word + 1u] = ~atomicLoad(&highs[at]);
    }
  }
}
