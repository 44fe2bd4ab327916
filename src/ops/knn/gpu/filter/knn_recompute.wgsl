// The third pass of knn.filter, where minima are stored, lets one workgroup compute the pairs of one query
// with the groups that knn_groups chose, in ascending order, and merge those below the threshold into the
// running candidate list.
//
// Pairs that pass wait in scratch until the room for them is full, then they are merged and the threshold
// falls. This is only done for queries whose pairs found no room before; their count goes back to zero.
//
// Globals: CUT, THREADS; params (waitingRoom: of pairs that wait, at least k + THREADS); queries,
// queryMeta, refs, refMeta, scratch, heads, candidates, intervals; rowSum (row_sum);
// intervalOf, valueOf, keyOf (distance_interval); scanExclusive, scanTotal; Entry, ALL, agreed, entryLimit,
// merge (knn_list, knn_kth).

@each_workgroup(params.queryRows)
fn main(query: u32, lane: u32) {
  if (lane == 0u) {
    agreed = heads[query];
    if (scratch[params.queryRows] == 0u || scratch[query] <= params.room) {
      agreed.x = ALL;
    } else {
      scratch[query] = 0u;
    }
  }
  let head = workgroupUniformLoad(&agreed);
  if (head.x > params.capacity) {
    return;
  }
  if (lane == 0u) {
    let chosen = params.begin + query * params.pitch * 2u;
    agreed = vec2u(scratch[chosen], scratch[chosen + 1u]);
  }
  let choice = workgroupUniformLoad(&agreed);
  let pairs = choice.x * params.group;
  let own = queryMeta[query];

  var listed = head.x;
  var limit = min(choice.y, entryLimit(head));
  var waiting = 0u;
  var seen = 0u;
  for (var begin = 0u; begin < pairs; begin += THREADS) {
    let at = begin + lane;
    var column = params.refRows;
    if (at < pairs) {
      let chosen = params.begin + (query * params.pitch + 1u + at / params.group) * 2u;
      column = scratch[chosen] * params.group + at % params.group;
    }
    let there = column < params.refRows;
    let reference = params.refBegin + select(0u, column, there);
    let other = refMeta[reference];
    let interval = intervalOf(valueOf(rowSum(query, reference), own, other), own, other);
    let passes = there && keyOf(interval.x) <= limit;
    let before = scanExclusive(lane, select(0u, 1u, passes) | select(0u, 1u << 16u, there));
    if (passes) {
      wait(query, waiting + (before & 0xffffu), column, interval);
    }
    let total = workgroupUniformLoad(&scanTotal);
    waiting += total & 0xffffu;
    seen += total >> 16u;
    let last = begin + THREADS >= pairs;
    if (last && listed + waiting < min(params.k, head.x + seen) && limit != ALL) {
      // This happens only if the compiler gave a pair other bits here than in distance_tile: all pairs of the
      // chosen groups compete then.
      limit = ALL;
      waiting = 0u;
      seen = 0u;
      begin = 0u - THREADS;
    } else if (waiting > 0u && (last || waiting + THREADS > params.waitingRoom)) {
      storageBarrier();
      merge(query, lane, listed, waiting);
      let now = workgroupUniformLoad(&agreed);
      if (now.x > params.capacity) {
        return;
      }
      listed = now.x;
      limit = min(limit, entryLimit(now));
      waiting = 0u;
    }
  }
}

fn wait(query: u32, slot: u32, column: u32, interval: vec2f) {
  let at = params.waiting + (query * params.waitingRoom + slot) * 3u;
  scratch[at] = params.firstRow + column;
  scratch[at + 1u] = bitcast<u32>(interval.x);
  scratch[at + 2u] = bitcast<u32>(interval.y);
}

fn newEntry(query: u32, slot: u32) -> Entry {
  let at = params.waiting + (query * params.waitingRoom + slot) * 3u;
  return Entry(scratch[at], vec2f(bitcast<f32>(scratch[at + 1u]), bitcast<f32>(scratch[at + 2u])));
}
