// This snippet of distances_count counts pairs by intervals that are certain to hold their ranks. A pair
// whose two ends are in different bins waits until there is one for each lane; then whole numbers bound these
// more closely (FIXED), and what is open even then is evaluated in float64.
//
// Globals: THREADS, TURNS, SELF, FIXED; params; values, queryMeta, refMeta; slotOf, add, row; intervalOf
// (distance_interval); boundsOfPair, wholeOf (pair_fixed); rankOfPair; isBelow64.

const ROOM: u32 = (TURNS + 1u) * THREADS;

// Places of references, counted from params.refBegin.
var<workgroup> waitingAt: array<u32, ROOM>;
var<workgroup> waiting: atomic<u32>;
var<workgroup> noticed: u32;

fn countPart(lane: u32, query: u32, begin: u32, end: u32) {
  let mine = queryMeta[query];
  let own = select(0xffffffffu, params.ownRow + query - params.refBegin, SELF);
  // The pairs of this lane that whole numbers settled, and those that took float64.
  var settled = vec2u();
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
      let isLast = settle(query, mine, waitingAt[left + lane]);
      settled += select(vec2u(1u, 0u), vec2u(0u, 1u), isLast);
    }
    workgroupBarrier();
    if (lane == 0u) {
      atomicStore(&waiting, left);
    }
    workgroupBarrier();
  }
  let left = stillWaiting(lane);
  if (lane < left) {
    let isLast = settle(query, mine, waitingAt[lane]);
    settled += select(vec2u(1u, 0u), vec2u(0u, 1u), isLast);
  }
  if (any(settled > vec2u())) {
    atomicAdd(&counts[counted + params.bins + 2u], settled.x);
    atomicAdd(&counts[counted + params.bins + 3u], settled.y);
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
  let low = slotOf(max(ends.x, 0.0));
  let high = max(ends.y, 0.0);
  if (low > params.bins || keyOfBits(bitcast<u32>(high)) < thresholdAt(low)) {
    return vec2u(low);
  }
  return vec2u(low, slotOf(high));
}

// Returns whether it took float64.
fn settle(query: u32, mine: vec4f, at: u32) -> bool {
  var ends = slotsOfPair(query, mine, at);
  if (FIXED) {
    let found = boundsOfPair(query, params.refBegin + at);
    while (ends.x < ends.y) {
      let middle = (ends.x + ends.y) / 2u;
      let whole = wholeOf(exactThresholdAt(middle));
      if (isBelow64(found.high, whole)) {
        ends.y = middle;
      } else if (isBelow64(whole, found.low)) {
        ends.x = middle + 1u;
      } else {
        break;
      }
    }
  }
  if (ends.x == ends.y) {
    add(ends.x, 1u);
    return false;
  }
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
  return true;
}

fn exactThresholdAt(i: u32) -> vec2u {
  let at = row + 5u + params.bins + 2u * i;
  return vec2u(thresholds[at], thresholds[at + 1u]);
}
