// The second pass of distances.count settles the pairs whose bin their intervals in float32 leave open. Whole
// numbers bound these more closely (FIXED), and float64 evaluates what is open even then. A workgroup takes a
// part of the pairs of one query that wait. Where more wait than there was room for, it looks at all pairs of
// its query.
//
// Globals: THREADS, SELF, FIXED, GROUP; params; queries, queryMeta, refs, refGroups, values, thresholds,
// counts, waiting; takeQuery, slotOf, placeOf, row (slots); intervalOf (distance_interval); boundsOfPair,
// wholeOf (pair_fixed); rankOfPair; isBelow64.

// This many pairs of this lane were settled by whole numbers, and this many by float64.
var<private> settled: vec2u;

@each_workgroup(params.groups)
fn main(number: u32, lane: u32) {
  let query = number / params.parts;
  let part = number % params.parts;
  takeQuery(query);
  let count = atomicLoad(&waiting[query]);
  let first = part * THREADS + lane;
  let step = params.parts * THREADS;
  if (count <= params.room) {
    for (var i = first; i < count; i += step) {
      settle(query, atomicLoad(&waiting[params.queryRows + query * params.room + i]));
    }
  } else {
    let own = select(0xffffffffu, params.ownRow + query - params.refBegin, SELF);
    for (var at = first; at < params.refRows; at += step) {
      if (at != own && waits(query, at)) {
        settle(query, at);
      }
    }
  }
  if (any(settled > vec2u())) {
    let tally = query * params.countWords + params.bins + 2u;
    atomicAdd(&counts[tally], settled.x);
    atomicAdd(&counts[tally + 1u], settled.y);
  }
}

// Tells whether the ends of a pair are in two bins, as the first pass found.
fn waits(query: u32, at: u32) -> bool {
  let ends = slotsOfPair(query, at);
  return ends.x != ends.y;
}

// Returns the slots of both ends of a pair's interval.
fn slotsOfPair(query: u32, at: u32) -> vec2u {
  let value = values[query * params.pitch + params.column + at];
  let group = refGroups[(params.refBegin + at) / GROUP];
  let ends = intervalOf(value, queryMeta[query], vec4f(0.0, group, 0.0));
  let low = slotOf(max(ends.x, 0.0));
  let high = max(ends.y, 0.0);
  if (low > params.bins || keyOfBits(bitcast<u32>(high)) < thresholdAt(low)) {
    return vec2u(low);
  }
  return vec2u(low, slotOf(high));
}

fn settle(query: u32, at: u32) {
  let reference = params.refBegin + at;
  var ends = slotsOfPair(query, at);
  if (FIXED) {
    let found = boundsOfPair(query, reference);
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
  if (ends.x < ends.y) {
    let rank = rankOfPair(query, reference);
    while (ends.x < ends.y) {
      let middle = (ends.x + ends.y) / 2u;
      if (isBelow64(rank, exactThresholdAt(middle))) {
        ends.y = middle;
      } else {
        ends.x = middle + 1u;
      }
    }
    settled.y++;
  } else {
    settled.x++;
  }
  atomicAdd(&counts[query * params.countWords + placeOf(ends.x)], 1u);
}

fn exactThresholdAt(i: u32) -> vec2u {
  let at = row + 5u + params.bins + 2u * i;
  return vec2u(thresholds[at], thresholds[at + 1u]);
}

fn thresholdAt(i: u32) -> u32 {
  return thresholds[row + 4u + i];
}
