// With this snippet knn_few_lists has the list of a query in workgroup memory, where k and the list are
// small. Each lane counts what comes before its entries: a driver compiles that in four fifths of the time of
// sorting by digits (few_merged). Call its functions in uniform control flow, but for `admit`.
//
// Globals: THREADS, ROUND (pairs that may be admitted between two calls of `settle`), ROOM (entries, at least
// those of a list and a round); params (k, capacity, spans); heads, candidates, intervals; keyOf
// (distance_interval); keyOfBits, bitsOfKey.

const ALL: u32 = 0xffffffffu;
// So many high ends are compared at a time.
const FOUR: u32 = 4u;

var<workgroup> agreed: vec2u;
var<workgroup> rows: array<u32, ROOM>;
// These are the keys of low and high ends.
var<workgroup> lows: array<u32, ROOM>;
var<workgroup> highs: array<u32, ROOM + FOUR>;
var<workgroup> held: atomic<u32>;

const_assert THREADS <= ROOM;

fn entryLimit(head: vec2u) -> u32 {
  return select(ALL, keyOfBits(head.y), head.x >= params.k);
}

// Returns the k-th of the least high ends of lanes; the largest key where there are fewer than k.
fn limitOf(query: u32, lane: u32, high: u32) -> u32 {
  highs[lane] = high;
  return kthHigh(lane, min(THREADS, params.spans));
}

fn takeList(query: u32, lane: u32, listed: u32) {
  for (var at = lane; at < listed; at += THREADS) {
    let slot = query * params.capacity + at;
    place(at, candidates[slot], intervals[slot]);
  }
  if (lane == 0u) {
    atomicStore(&held, listed);
  }
}

fn admit(query: u32, row: u32, interval: vec2f) {
  place(atomicAdd(&held, 1u), row, interval);
}

fn place(at: u32, row: u32, interval: vec2f) {
  rows[at] = row;
  lows[at] = keyOf(interval.x);
  highs[at] = keyOf(interval.y);
}

// Keeps the entries that may be among the k nearest, if it is time to, and stores them if no more come.
// @returns how many are listed, and a limit of those that may still enter
fn settle(query: u32, lane: u32, listed: u32, done: bool) -> vec2u {
  workgroupBarrier();
  if (lane == 0u) {
    agreed.x = atomicLoad(&held);
  }
  let entries = workgroupUniformLoad(&agreed).x;
  if (!done && entries + ROUND <= ROOM) {
    return vec2u(listed, ALL);
  }
  if (lane == 0u) {
    atomicStore(&held, 0u);
  }
  let limit = kthHigh(lane, entries);
  for (var begin = 0u; begin < entries; begin += THREADS) {
    let at = min(begin + lane, entries - 1u);
    let entry = vec3u(rows[at], lows[at], highs[at]);
    workgroupBarrier();
    // An entry never moves back.
    if (begin + lane < entries && entry.y <= limit) {
      let slot = atomicAdd(&held, 1u);
      rows[slot] = entry.x;
      lows[slot] = entry.y;
      highs[slot] = entry.z;
    }
  }
  workgroupBarrier();
  if (lane == 0u) {
    agreed = vec2u(atomicLoad(&held), limit);
  }
  let now = workgroupUniformLoad(&agreed);
  if (done || now.x > params.capacity) {
    store(query, lane, now.x);
    if (lane == 0u) {
      heads[query] = vec2u(now.x, select(0u, bitsOfKey(limit), entries >= params.k));
    }
  }
  return now;
}

fn store(query: u32, lane: u32, entries: u32) {
  for (var at = lane; at < min(entries, params.capacity); at += THREADS) {
    let slot = query * params.capacity + at;
    candidates[slot] = rows[at];
    let bits = vec2u(bitsOfKey(lows[at]), bitsOfKey(highs[at]));
    intervals[slot] = bitcast<vec2f>(bits);
  }
}

// Returns the k-th smallest of the first high ends; the largest key where there are fewer.
fn kthHigh(lane: u32, entries: u32) -> u32 {
  if (lane == 0u) {
    agreed = vec2u(ALL);
  }
  // None of these comes before an entry. Lanes that limitOf has there without a span left the same.
  if (lane < FOUR) {
    highs[entries + lane] = ALL;
  }
  workgroupBarrier();
  for (var at = lane; at < entries; at += THREADS) {
    let own = highs[at];
    var before = vec4u();
    // A driver would unroll as many turns as a constant says, and take twice as long for the shader.
    for (var i = 0u; i < entries; i += FOUR) {
      let others = vec4u(highs[i], highs[i + 1u], highs[i + 2u], highs[i + 3u]);
      let numbers = vec4u(i) + vec4u(0u, 1u, 2u, 3u);
      let ties = (others == vec4u(own)) & (numbers < vec4u(at));
      before += select(vec4u(), vec4u(1u), (others < vec4u(own)) | ties);
    }
    if (dot(before, vec4u(1u)) + 1u == params.k) {
      agreed.x = own;
    }
  }
  return workgroupUniformLoad(&agreed).x;
}
