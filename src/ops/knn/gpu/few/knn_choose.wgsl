// The second pass of knn.fewFilter lets one workgroup choose the groups of references that one query must
// compute again. It is knn_groups for ends that are all there, and few queries, for which it must be quick.
//
// The high ends of groups belong to distinct references. So the k-th of the least high ends that lanes saw is
// a limit that nothing wanted exceeds; for larger k it is the k-th of those of all groups. Only groups with a
// low end up to it are chosen.
//
// In scratch, [query][1 + groups][2] from word params.begin on, the ends are replaced by the numbers of the
// chosen groups; before them stand how many there are and the limit's key. A query that has room for more
// candidates is marked as one whose groups knn_recompute computes.
//
// Globals: CUT (false), THREADS, CHOSEN (groups that are chosen without looking at them in their order),
// BY_LANES (k is so small that the ends of lanes are enough); params; heads, scratch; keyOfBits,
// scanExclusive, scanTotal; ALL, Cutoff, agreed, selectKth (knn_kth).

// This many loads of a lane are on their way at a time.
const BATCH: u32 = 8u;

var<workgroup> ends: array<u32, THREADS>;
var<workgroup> chosen: array<u32, CHOSEN>;
var<workgroup> count: atomic<u32>;

@each_workgroup(params.queryRows)
fn main(query: u32, lane: u32) {
  if (lane == 0u) {
    agreed = heads[query];
    scratch[query] = params.room + 1u;
    if (query == 0u) {
      scratch[params.queryRows] = params.queryRows;
    }
  }
  let head = workgroupUniformLoad(&agreed);
  let least = leastOf(query, lane);
  var limit = limitOf(query, lane, least.y);
  if (head.x >= params.k) {
    limit = min(limit, keyOfBits(head.y));
  }
  let found = choose(query, lane, limit, least.x > limit);
  if (found > CHOSEN) {
    gather(query, lane, limit);
  } else {
    for (var at = lane; at < found; at += THREADS) {
      scratch[wordOf(query, 1u + at)] = chosen[at];
    }
  }
  if (lane == 0u) {
    let word = wordOf(query, 0u);
    scratch[word] = found;
    scratch[word + 1u] = limit;
  }
}

// Returns the least low and the least high end of the groups of a lane.
fn leastOf(query: u32, lane: u32) -> vec2u {
  var least = vec2u(ALL);
  for (var at = lane; at < params.groups; at += BATCH * THREADS) {
    let batch = endsOf(query, at);
    for (var i = 0u; i < BATCH; i++) {
      least = min(least, batch[i]);
    }
  }
  return least;
}

// Returns the ends of a batch of groups, all of whose loads are on their way at a time. A group that holds
// nothing stands for groups past the last.
fn endsOf(query: u32, at: u32) -> array<vec2u, BATCH> {
  var batch: array<vec2u, BATCH>;
  for (var i = 0u; i < BATCH; i++) {
    let group = at + i * THREADS;
    let there = group < params.groups;
    let word = wordOf(query, 1u + select(0u, group, there));
    batch[i] = select(vec2u(ALL), vec2u(scratch[word], scratch[word + 1u]), there);
  }
  return batch;
}

// Returns the k-th of the least high ends, or more; the largest key where there are fewer than k.
fn limitOf(query: u32, lane: u32, high: u32) -> u32 {
  if (!BY_LANES) {
    if (params.groups < params.k) {
      return ALL;
    }
    return selectKth(query, lane, 0u, params.groups, params.k).key;
  }
  ends[lane] = high;
  workgroupBarrier();
  var before = 0u;
  for (var i = 0u; i < THREADS; i++) {
    let other = ends[i];
    before += select(0u, 1u, other < high || (other == high && i < lane));
  }
  if (before + 1u == params.k) {
    agreed = vec2u(high, 0u);
  }
  return workgroupUniformLoad(&agreed).x;
}

fn highKey(query: u32, at: u32, listed: u32) -> u32 {
  return scratch[wordOf(query, 1u + at) + 1u];
}

// Counts the groups up to the limit, and keeps the numbers of the first that come, in any order.
// @param none true where the lane knows that it has none
fn choose(query: u32, lane: u32, limit: u32, none: bool) -> u32 {
  for (var at = select(lane, params.groups, none); at < params.groups; at += BATCH * THREADS) {
    let batch = endsOf(query, at);
    for (var i = 0u; i < BATCH; i++) {
      if (at + i * THREADS < params.groups && batch[i].x <= limit) {
        let slot = atomicAdd(&count, 1u);
        if (slot < CHOSEN) {
          chosen[slot] = at + i * THREADS;
        }
      }
    }
  }
  storageBarrier();
  workgroupBarrier();
  if (lane == 0u) {
    agreed = vec2u(atomicLoad(&count), 0u);
  }
  return workgroupUniformLoad(&agreed).x;
}

// Moves the numbers of the groups up to the limit to the front, where there are many. A number never moves
// back.
fn gather(query: u32, lane: u32, limit: u32) {
  var kept = 0u;
  for (var begin = 0u; begin < params.groups; begin += THREADS) {
    let at = begin + lane;
    let passes = at < params.groups && scratch[wordOf(query, 1u + at)] <= limit;
    let before = scanExclusive(lane, select(0u, 1u, passes));
    storageBarrier();
    if (passes) {
      scratch[wordOf(query, 1u + kept + before)] = at;
    }
    kept += scanTotal;
  }
}

fn wordOf(query: u32, place: u32) -> u32 {
  return params.begin + (query * params.pitch + place) * 2u;
}
