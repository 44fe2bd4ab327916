// This snippet has what a workgroup does to the running candidate list of a query: it finds the threshold
// among the list and new entries, and keeps what stays. contract/filter.ts says at knn.filter what the list
// holds.
//
// Entries are numbered along the list as it was (`listed` of them), then along the new ones; neither is in
// any order. Call these functions in uniform control flow.
//
// Globals: CUT, KEEP_ALL (the lists are keep-all), THREADS; params (k, capacity); heads, candidates,
// intervals; newEntry; keyOf (distance_interval); keyOfBits, bitsOfKey, scanExclusive; ALL, Cutoff, agreed,
// bins, clearBins, binOf, selectKth (knn_kth).

struct Entry {
  row: u32,
  interval: vec2f,
}

// Returns the largest key of a low end that may still enter. With CUT a value equal to the k-th loses to the
// lower index listed.
fn entryLimit(head: vec2u) -> u32 {
  if (head.x < params.k) {
    return ALL;
  }
  return keyOfBits(head.y) - select(0u, 1u, CUT);
}

// Finds the threshold among the list and `more` new entries and keeps, in the list, what stays. The new head
// is in heads and, for the workgroup, in `agreed`.
fn merge(query: u32, lane: u32, listed: u32, more: u32) {
  keep(query, lane, listed, more, cutoffOf(query, lane, listed, more));
}

// Returns the cutoff; its key is ALL while there are fewer than k.
fn cutoffOf(query: u32, lane: u32, listed: u32, more: u32) -> Cutoff {
  if (listed + more < params.k) {
    return Cutoff(ALL, 0u, 0u);
  }
  return selectKth(query, lane, listed, listed + more, params.k);
}

fn keep(query: u32, lane: u32, listed: u32, more: u32, cutoff: Cutoff) {
  var lastRow = ALL;
  if (CUT && !KEEP_ALL && cutoff.equals < cutoff.at) {
    lastRow = lastRowAt(query, lane, listed, listed + more, cutoff);
  }
  let kept = compact(query, lane, listed, more, cutoff.key, lastRow);
  if (lane == 0u) {
    agreed = vec2u(kept, select(0u, bitsOfKey(cutoff.key), listed + more >= params.k));
    heads[query] = agreed;
  }
}

// Returns the row index of the last entry that stays among those whose key is the cutoff's.
fn lastRowAt(query: u32, lane: u32, listed: u32, entries: u32, cutoff: Cutoff) -> u32 {
  var row = 0u;
  var rank = cutoff.equals;
  for (var turn = 0u; turn < 4u; turn++) {
    let shift = 24u - 8u * turn;
    clearBins(lane);
    for (var at = lane; at < entries; at += THREADS) {
      let entry = entryAt(query, at, listed);
      let known = turn == 0u || ((entry.row ^ row) >> (shift + 8u)) == 0u;
      if (known && keyOf(entry.interval.y) == cutoff.key) {
        atomicAdd(&bins[(entry.row >> shift) & 255u], 1u);
      }
    }
    let chosen = binOf(lane, rank);
    row |= chosen.x << shift;
    rank = chosen.y;
  }
  return row;
}

// Moves the entries that stay to the front of the list and returns their number; those past the capacity are
// only counted. An entry never moves back, so the list is its own target.
fn compact(query: u32, lane: u32, listed: u32, more: u32, limit: u32, lastRow: u32) -> u32 {
  var kept = 0u;
  for (var begin = 0u; begin < listed + more; begin += THREADS) {
    let at = begin + lane;
    var entry: Entry;
    var stays = false;
    if (at < listed + more) {
      entry = entryAt(query, at, listed);
      let key = keyOf(entry.interval.x);
      stays = KEEP_ALL || (key <= limit && (!CUT || key < limit || entry.row <= lastRow));
    }
    let slot = kept + scanExclusive(lane, select(0u, 1u, stays));
    storageBarrier();
    if (stays && slot < params.capacity) {
      store(query, slot, entry);
    }
    kept += scanTotal;
  }
  return kept;
}

fn entryAt(query: u32, at: u32, listed: u32) -> Entry {
  if (at >= listed) {
    return newEntry(query, at - listed);
  }
  let slot = query * params.capacity + at;
  return Entry(candidates[slot], intervals[slot]);
}

fn highKey(query: u32, at: u32, listed: u32) -> u32 {
  return keyOf(entryAt(query, at, listed).interval.y);
}

fn store(query: u32, slot: u32, entry: Entry) {
  candidates[query * params.capacity + slot] = entry.row;
  intervals[query * params.capacity + slot] = entry.interval;
}
