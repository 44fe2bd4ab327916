// The second pass of knn.filter, where minima are stored, lets one workgroup choose the groups of references
// that one query must recompute. knn_recompute computes their pairs.
//
// The k-th smallest high end among list and groups is a threshold that nothing wanted exceeds, because the
// groups' least high ends belong to distinct references that are not in the list. With CUT, of the groups
// whose least value is the threshold the first are enough, as many as the ties that stay.
//
// In scratch, [query][1 + groups][2] from word params.begin on, the minima are replaced by the numbers of the
// chosen groups, ascending; before them stand how many there are and the threshold's key. This is only done
// for queries whose pairs found no room.
//
// Globals: CUT, THREADS; params; heads, intervals, scratch; keyOf (distance_interval), keyOfBits,
// bitsOfKey, scanExclusive; ALL, Cutoff, agreed, selectKth (knn_kth).

var<workgroup> hits: atomic<u32>;
var<workgroup> ties: atomic<u32>;

@each_workgroup(params.queryRows)
fn main(query: u32, lane: u32) {
  if (lane == 0u) {
    agreed = heads[query];
    if (scratch[params.queryRows] == 0u || scratch[query] <= params.room) {
      agreed.x = ALL;
    }
  }
  let head = workgroupUniformLoad(&agreed);
  let listed = head.x;
  if (listed > params.capacity) {
    if (lane == 0u) {
      choose(query, 0u, 0u);
    }
    return;
  }
  let cutoff = cutoffOf(query, lane, head);
  let chosen = gather(query, lane, cutoff);
  if (lane == 0u) {
    choose(query, chosen, cutoff.key);
  }
}

// Returns the cutoff. It is the list's own threshold where that chooses few groups, since it needs one
// reading of them instead of four.
fn cutoffOf(query: u32, lane: u32, head: vec2u) -> Cutoff {
  let listed = head.x;
  var cutoff = Cutoff(ALL, ALL, 0u);
  if (listed >= params.k) {
    cutoff.key = keyOfBits(head.y) - select(0u, 1u, CUT);
    for (var at = lane; at < params.groups; at += THREADS) {
      if (minimaAt(query, at).x <= cutoff.key) {
        atomicAdd(&hits, 1u);
      }
    }
    workgroupBarrier();
    if (lane == 0u) {
      agreed = vec2u(atomicLoad(&hits), 0u);
    }
    if (workgroupUniformLoad(&agreed).x <= 2u * params.k) {
      return cutoff;
    }
  }
  if (listed + params.groups < params.k) {
    return cutoff;
  }
  cutoff = selectKth(query, lane, listed, listed + params.groups, params.k);
  if (!CUT) {
    return Cutoff(cutoff.key, ALL, 0u);
  }
  for (var at = lane; at < listed; at += THREADS) {
    if (highKey(query, at, listed) == cutoff.key) {
      atomicAdd(&ties, 1u);
    }
  }
  workgroupBarrier();
  return Cutoff(cutoff.key, cutoff.equals - min(cutoff.equals, atomicLoad(&ties)), 0u);
}

// Moves the numbers of the groups that pass to the front, and returns how many pass. A number never moves
// back.
fn gather(query: u32, lane: u32, cutoff: Cutoff) -> u32 {
  var below = 0u;
  var equal = 0u;
  for (var begin = 0u; begin < params.groups; begin += THREADS) {
    let at = begin + lane;
    var vote = 0u; // 1 where the group is chosen; 1 << 16 where it is chosen while `equals` lasts
    if (at < params.groups) {
      let key = minimaAt(query, at).x;
      vote = select(select(0u, 1u << 16u, key == cutoff.key), 1u, key < cutoff.key);
    }
    let before = scanExclusive(lane, vote);
    storageBarrier();
    let equalBefore = equal + (before >> 16u);
    if (vote == 1u || (vote != 0u && equalBefore < cutoff.equals)) {
      let slot = below + (before & 0xffffu) + min(equalBefore, cutoff.equals);
      scratch[wordOf(query, 1u + slot)] = at;
    }
    below += scanTotal & 0xffffu;
    equal += scanTotal >> 16u;
  }
  return below + min(equal, cutoff.equals);
}

fn minimaAt(query: u32, at: u32) -> vec2u {
  let word = wordOf(query, 1u + at);
  return vec2u(scratch[word], scratch[word + 1u]);
}

fn choose(query: u32, count: u32, limit: u32) {
  let word = wordOf(query, 0u);
  scratch[word] = count;
  scratch[word + 1u] = limit;
}

fn wordOf(query: u32, place: u32) -> u32 {
  return params.begin + (query * params.pitch + place) * 2u;
}

fn highKey(query: u32, at: u32, listed: u32) -> u32 {
  if (at < listed) {
    return keyOf(intervals[query * params.capacity + at].y);
  }
  return minimaAt(query, at - listed).y;
}
