// This snippet takes the intervals of the pairs of knn_few. It keeps the keys of the least low and of the
// least high end of every GROUP references in scratch, [query][groups][2], and those of every SPAN of them,
// [query][spans][2], from word params.spanEnds on.
//
// Globals: CUT (false); GROUP, QUERIES, THREADS, SPAN (references of a workgroup, which begins at a multiple
// of them), firstQuery (knn_few); params; scratch; Part, pairInterval (row_interval or few_bytes); keyOf
// (distance_interval).

const GROUPS: u32 = SPAN / GROUP;
const_assert SPAN % GROUP == 0u && QUERIES * GROUPS <= THREADS;

// These are the least keys, [query][group], with all bits flipped, so that 0 is nothing; those of spans
// follow.
var<workgroup> lows: array<atomic<u32>, QUERIES * (GROUPS + 1u)>;
var<workgroup> highs: array<atomic<u32>, QUERIES * (GROUPS + 1u)>;

// @param sum is that of a pair of the lane
fn write(pair: u32, reference: u32, sum: Part) {
  let query = firstQuery + pair % QUERIES;
  if (query < params.queryRows && reference < params.refRows) {
    let interval = pairInterval(query, reference, sum);
    let at = pair % QUERIES * GROUPS + reference % SPAN / GROUP;
    atomicMax(&lows[at], ~keyOf(interval.x));
    atomicMax(&highs[at], ~keyOf(interval.y));
  }
}

fn finishKeeping(lane: u32, firstRef: u32) {
  workgroupBarrier();
  let query = firstQuery + lane / GROUPS;
  let there = lane < QUERIES * GROUPS && query < params.queryRows;
  if (there) {
    let low = atomicLoad(&lows[lane]);
    let high = atomicLoad(&highs[lane]);
    atomicMax(&lows[QUERIES * GROUPS + lane / GROUPS], low);
    atomicMax(&highs[QUERIES * GROUPS + lane / GROUPS], high);
    let group = firstRef / GROUP + lane % GROUPS;
    if (group < params.groups) {
      keep(2u * (query * params.groups + group), low, high);
    }
  }
  workgroupBarrier();
  if (there && lane % GROUPS == 0u) {
    let at = QUERIES * GROUPS + lane / GROUPS;
    let word = params.spanEnds + 2u * (query * params.spans + firstRef / SPAN);
    keep(word, atomicLoad(&lows[at]), atomicLoad(&highs[at]));
  }
}

fn keep(word: u32, low: u32, high: u32) {
  scratch[word] = ~low;
  scratch[word + 1u] = ~high;
}
