// With this snippet the pairs that knn_few_lists admits wait in scratch until the room for them is full. Then
// they are merged into the list of the query, as those of knn.filter are. knn_few_limit left the limit. Call
// its functions in uniform control flow, but for `admit`.
//
// Globals: ROUND (pairs that may be admitted between two calls of `settle`); params (limits; waiting: the
// first word of pairs that wait; waitingRoom: how many of a query there may be, at least ROUND); scratch;
// Entry, ALL, agreed, entryLimit, merge (knn_list, knn_kth).

var<workgroup> waits: atomic<u32>;

fn limitOf(query: u32, lane: u32, high: u32) -> u32 {
  return scratch[params.limits + query];
}

fn takeList(query: u32, lane: u32, listed: u32) {}

fn admit(query: u32, row: u32, interval: vec2f) {
  let at = wordOfWaiting(query, atomicAdd(&waits, 1u));
  scratch[at] = row;
  scratch[at + 1u] = bitcast<u32>(interval.x);
  scratch[at + 2u] = bitcast<u32>(interval.y);
}

// Merges the pairs that wait, if no more come or find room.
// @returns how many are listed, and a limit of those that may still enter
fn settle(query: u32, lane: u32, listed: u32, done: bool) -> vec2u {
  workgroupBarrier();
  if (lane == 0u) {
    agreed.x = atomicLoad(&waits);
  }
  let more = workgroupUniformLoad(&agreed).x;
  if (more == 0u || (!done && more + ROUND <= params.waitingRoom)) {
    return vec2u(listed, ALL);
  }
  storageBarrier();
  merge(query, lane, listed, more);
  if (lane == 0u) {
    atomicStore(&waits, 0u);
  }
  let head = workgroupUniformLoad(&agreed);
  return vec2u(head.x, entryLimit(head));
}

fn newEntry(query: u32, slot: u32) -> Entry {
  let at = wordOfWaiting(query, slot);
  return Entry(scratch[at], vec2f(bitcast<f32>(scratch[at + 1u]), bitcast<f32>(scratch[at + 2u])));
}

fn wordOfWaiting(query: u32, slot: u32) -> u32 {
  return params.waiting + (query * params.waitingRoom + slot) * 3u;
}
