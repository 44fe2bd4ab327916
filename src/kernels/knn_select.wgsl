// Second pass of knn.filter: one workgroup merges one query's row of values into its running candidate list. What the list
// holds is written at knn.filter in core/primitives.ts; not here: the values, which knn_distance made.
//
// Entries are numbered along the list as it was (`listed` of them), then along the tile (`columns`), which is ascending
// row index. Usually few columns pass the old threshold: they are appended to the list, and the new threshold is
// selected among the list alone. Otherwise it is selected among list and tile together.
//
// Globals: CUT, FOUND, THREADS (256: one lane per radix bin); params; queryMeta, refMeta, scratch, heads, candidates,
// intervals; linearGroup, scanExclusive, keyOfBits, bitsOfKey.

const_assert THREADS == 256u;
const ALL: u32 = 0xffffffffu;

struct Entry {
  row: u32,
  interval: vec2f,
}

// Entries at or below `key` stay, or with CUT those below it and the first `equals` of those at it.
struct Cutoff {
  key: u32,
  equals: u32,
}

// The meta of this workgroup's query.
var<private> own: vec4f;

var<workgroup> agreed: vec2u;
var<workgroup> hits: atomic<u32>;
var<workgroup> found: array<u32, FOUND>;
var<workgroup> bins: array<atomic<u32>, THREADS>;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let query = linearGroup(group, groups);
  if (query >= params.queryRows) {
    return;
  }
  own = queryMeta[query];
  if (lane == 0u) {
    agreed = heads[query];
  }
  let head = workgroupUniformLoad(&agreed);
  let listed = head.x;
  if (listed > params.capacity) {
    return;
  }

  collect(query, lane, entryLimit(head));
  workgroupBarrier();
  if (lane == 0u) {
    agreed = vec2u(atomicLoad(&hits), 0u);
  }
  let passed = workgroupUniformLoad(&agreed).x;
  if (passed == 0u) {
    return;
  }
  if (passed <= FOUND && listed + passed <= params.capacity) {
    appendFound(query, lane, listed, passed);
    storageBarrier();
    settle(query, lane, listed + passed, 0u);
  } else {
    settle(query, lane, listed, params.refRows);
  }
}

// Largest key of a low end that may still enter. With CUT a value equal to the k-th loses to the lower index listed.
fn entryLimit(head: vec2u) -> u32 {
  if (head.x < params.k) {
    return ALL;
  }
  return keyOfBits(head.y) - select(0u, 1u, CUT);
}

// Counts the columns that pass in `hits` and notes the first FOUND of them in `found`, in any order.
fn collect(query: u32, lane: u32, limit: u32) {
  for (var at = lane; at < params.pitch; at += THREADS) {
    let four = scratch[query * params.pitch + at];
    for (var i = 0u; i < 4u; i++) {
      let column = at * 4u + i;
      if (column < params.refRows && keyOf(intervalOf(four[i], column).x) <= limit) {
        let slot = atomicAdd(&hits, 1u);
        if (slot < FOUND) {
          found[slot] = column;
        }
      }
    }
  }
}

// Ranks by counting restore the order of columns that `collect` lost.
fn appendFound(query: u32, lane: u32, listed: u32, passed: u32) {
  for (var at = lane; at < passed; at += THREADS) {
    let column = found[at];
    var rank = 0u;
    for (var other = 0u; other < passed; other++) {
      rank += select(0u, 1u, found[other] < column);
    }
    store(query, listed + rank, tileEntry(query, column));
  }
}

// Finds the threshold among list and tile and keeps, in the list, what stays.
fn settle(query: u32, lane: u32, listed: u32, columns: u32) {
  var cutoff = Cutoff(ALL, 0u);
  let full = listed + columns >= params.k;
  if (full) {
    cutoff = selectKth(query, lane, listed, columns);
  }
  let kept = compact(query, lane, listed, columns, cutoff);
  if (lane == 0u) {
    heads[query] = vec2u(kept, select(0u, bitsOfKey(cutoff.key), full));
  }
}

// Radix select, eight bits a turn from the top: the k-th smallest high end, and its rank among those equal to it.
fn selectKth(query: u32, lane: u32, listed: u32, columns: u32) -> Cutoff {
  var prefix = 0u;
  var mask = 0u;
  var rank = params.k;
  for (var turn = 0u; turn < 4u; turn++) {
    let shift = 24u - 8u * turn;
    atomicStore(&bins[lane], 0u);
    if (lane == 0u) {
      // Stands only if a high end came out differently in two rounds: a threshold too high keeps too much, never too little.
      agreed = vec2u(THREADS - 1u, 1u);
    }
    workgroupBarrier();
    for (var at = lane; at < listed + columns; at += THREADS) {
      let key = highKey(query, at, listed);
      if ((key & mask) == prefix) {
        atomicAdd(&bins[(key >> shift) & 255u], 1u);
      }
    }
    workgroupBarrier();
    let size = atomicLoad(&bins[lane]);
    let before = scanExclusive(lane, size);
    if (before < rank && rank - before <= size) {
      agreed = vec2u(lane, rank - before);
    }
    let chosen = workgroupUniformLoad(&agreed);
    prefix |= chosen.x << shift;
    mask |= 255u << shift;
    rank = chosen.y;
  }
  return Cutoff(prefix, rank);
}

// Moves the entries that stay to the front of the list, in order, and returns their number; those past the capacity are
// counted only. An entry never moves back, so the list is its own target.
fn compact(query: u32, lane: u32, listed: u32, columns: u32, cutoff: Cutoff) -> u32 {
  var below = 0u;
  var equal = 0u;
  for (var begin = 0u; begin < listed + columns; begin += THREADS) {
    let at = begin + lane;
    var entry: Entry;
    var vote = 0u; // 1: stays; 1 << 16: stays while `equals` lasts
    if (at < listed + columns) {
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
    return tileEntry(query, at - listed);
  }
  let slot = query * params.capacity + at;
  return Entry(candidates[slot], intervals[slot]);
}

fn highKey(query: u32, at: u32, listed: u32) -> u32 {
  return keyOf(entryAt(query, at, listed).interval.y);
}

fn tileEntry(query: u32, column: u32) -> Entry {
  let value = scratch[query * params.pitch + column / 4u][column % 4u];
  return Entry(params.firstRow + column, intervalOf(value, column));
}

fn store(query: u32, slot: u32, entry: Entry) {
  candidates[query * params.capacity + slot] = entry.row;
  intervals[query * params.capacity + slot] = entry.interval;
}

// Explicit fma leaves a compiler nothing to fuse, so that a pair has the same interval wherever it is computed.
fn intervalOf(value: f32, column: u32) -> vec2f {
  if (CUT) {
    return vec2f(value);
  }
  let r = refMeta[params.refBegin + column];
  let half = fma(params.slack, abs(value), fma(own.y, r.y, own.z + r.z));
  return vec2f(value - half, value + half);
}

fn keyOf(value: f32) -> u32 {
  return keyOfBits(bitcast<u32>(value));
}
