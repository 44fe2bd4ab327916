// This snippet of distances_count counts pairs by intervals that are certain to hold their ranks. A pair
// whose two ends are in different bins waits until there is one for each lane; then these are evaluated in
// float64.
//
// Globals: THREADS, TURNS, SELF; params; values, queryMeta, refMeta; slotOf, add, row; intervalOf
// (distance_interval); rankOfPair; isBelow64.

const ROOM: u32 = (TURNS + 1u) * THREADS;

// Places of references, counted from params.refBegin.
var<workgroup> waitingAt: array<u32, ROOM>;
var<workgroup> waiting: atomic<u32>;
var<workgroup> noticed: u32;

fn countPart(lane: u32, query: u32, begin: u32, end: u32) {
  let mine = queryMeta[query];
  let own = select(0xffffffffu, params.ownRow + query - params.refBegin, SELF);
  var settled = 0u;
  for (var first = begin; first < end; first += TURNS * THREADS) {
    for (var turn = 0u; turn < TURNS; turn++) {
      let at = first + turn * THREADS + lane;
      if (at < end && at != own) {
        let ends = slotsOfPair(query, mine, at);
        if (ends.x == ends.y) {
          add(ends.x, 1u);
        } else {
          waitingAt[atomicAdd(&waiting, 1u)] = at;
        }
      }
    }
    workgroupBarrier();
    var left = stillWaiting(lane);
    while (left >= THREADS) {
      left -= THREADS;
      settle(query, mine, waitingAt[left + lane]);
      settled++;
    }
    workgroupBarrier();
    if (lane == 0u) {
      atomicStore(&waiting, left);
    }
    workgroupBarrier();
  }
  let left = stillWaiting(lane);
  if (lane < left) {
    settle(query, mine, waitingAt[lane]);
    settled++;
  }
  if (settled > 0u) {
    atomicAdd(&counts[counted + params.bins + 2u], settled);
  }
}

fn stillWaiting(lane: u32) -> u32 {
  if (lane == 0u) {
    noticed = atomicLoad(&waiting);
  }
  return workgroupUniformLoad(&noticed);
}

// Returns the slots of both ends of a pair's interval.
fn slotsOfPair(query: u32, mine: vec4f, at: u32) -> vec2u {
  let value = values[query * params.pitch + params.column + at];
  let ends = intervalOf(value, mine, refMeta[params.refBegin + at]);
  return vec2u(slotOf(max(ends.x, 0.0)), slotOf(max(ends.y, 0.0)));
}

fn settle(query: u32, mine: vec4f, at: u32) {
  var ends = slotsOfPair(query, mine, at);
  let rank = rankOfPair(query, params.refBegin + at);
  while (ends.x < ends.y) {
    let middle = (ends.x + ends.y) / 2u;
    if (isBelow64(rank, exactThresholdAt(middle))) {
      ends.y = middle;
    } else {
      ends.x = middle + 1u;
    }
  }
  add(ends.x, 1u);
}

fn exactThresholdAt(i: u32) -> vec2u {
  let at = row + 5u + params.bins + 2u * i;
  return vec2u(thresholds[at], thresholds[at + 1u]);
}
