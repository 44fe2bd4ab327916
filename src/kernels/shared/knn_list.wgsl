// The running candidate list of a query, and what a workgroup does to it: it finds the threshold among the list and new
// entries, and keeps what stays. What the list holds is written at knn.filter in core/primitives.ts.
//
// Entries are numbered along the list as it was (`listed` of them), then along the new ones, in ascending row index.
// Call these functions in uniform control flow.
//
// Globals: CUT, THREADS; params (k, capacity); heads, candidates, intervals; newEntry; keyOf (knn_interval); keyOfBits,
// bitsOfKey, scanExclusive; ALL, Cutoff, selectKth (knn_kth).

struct Entry {
  row: u32,
  interval: vec2f,
}

// Largest key of a low end that may still enter. With CUT a value equal to the k-th loses to the lower index listed.
fn entryLimit(head: vec2u) -> u32 {
  if (head.x < params.k) {
    return ALL;
  }
  return keyOfBits(head.y) - select(0u, 1u, CUT);
}

// Finds the threshold among the list and `more` new entries and keeps, in the list, what stays. The new head is in heads and,
// for the workgroup, in `agreed`.
fn settle(query: u32, lane: u32, listed: u32, more: u32) {
  var cutoff = Cutoff(ALL, 0u);
  let full = listed + more >= params.k;
  if (full) {
    cutoff = selectKth(query, lane, listed, listed + more);
  }
  let kept = compact(query, lane, listed, more, cutoff);
  if (lane == 0u) {
    agreed = vec2u(kept, select(0u, bitsOfKey(cutoff.key), full));
    heads[query] = agreed;
  }
}

// Moves the entries that stay to the front of the list, in order, and returns their number; those past the capacity are
// counted only. An entry never moves back, so the list is its own target.
fn compact(query: u32, lane: u32, listed: u32, more: u32, cutoff: Cutoff) -> u32 {
  var below = 0u;
  var equal = 0u;
  for (var begin = 0u; begin < listed + more; begin += THREADS) {
    let at = begin + lane;
    var entry: Entry;
    var vote = 0u; // 1: stays; 1 << 16: stays while `equals` lasts
    if (at < listed + more) {
      entry = entryAt(query, at, listed);
      let key = keyOf(entry.interval.x);
      if (CUT && key == cutoff.key) {
        vote = 1u << 16u;
      } else if (key <= cutoff.key) {
        vote = 1u;
      }
    }
    let before = scanExclusive(lane, vote);
    storageBarrier();
    let belowBefore = below + (before & 0xffffu);
    let equalBefore = equal + (before >> 16u);
    let stays = vote == 1u || (vote != 0u && equalBefore < cutoff.equals);
    let slot = belowBefore + min(equalBefore, cutoff.equals);
    if (stays && slot < params.capacity) {
      store(query, slot, entry);
    }
    below += scanTotal & 0xffffu;
    equal += scanTotal >> 16u;
  }
  return below + min(equal, cutoff.equals);
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
