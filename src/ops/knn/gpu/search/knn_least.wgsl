// This kernel finds the nearest references of a few queries, one workgroup for a query, from the least key of
// every GROUP references, which knn_few or epilogue_whole left. The k-th of the least keys of as many buckets
// is a limit: only groups up to it can hold one of the k nearest. Their values are computed again, added up
// in the same order as before, and those up to the limit are sorted.
//
// Where more groups are up to the limit than there is room for, as where many references are alike, they are
// visited a stretch at a time, in their order. Once k are found, later groups must be before the last of
// them.
//
// Globals: GROUP, MOST_K, THREADS, CAPACITY (entries), CHOSEN (groups, a multiple of 4), ROW_LANES (lanes
// that share a reference), ROWS (references of a lane at a time), TREE (parts of a reference meet as in
// parts_subgroup), NORMS, ROOT; params (pitch: of `least`, in vectors; buckets: a power of two from k to
// THREADS); queries, refs, least, distances, indices; accumulateRow (distance_row), join, finish of
// one metric; squareOf; LAST_KEY, keyOfValue, valueOfKey; workgroup_sort.

const TEAMS: u32 = THREADS / ROW_LANES;
// The values of this many references are made at a time.
const ROUND: u32 = TEAMS * ROWS;
const_assert MOST_K + ROUND <= CAPACITY && (!NORMS || (ROW_LANES == 1u && ROWS == 1u));
const ALL: u32 = LAST_KEY;

// The loads of this many vectors, of a row and of keys, are on their way at a time.
const AHEAD: u32 = 4u;
const BATCH: u32 = 8u;

// These are the least keys of buckets, with all bits flipped, so that 0 is nothing.
var<workgroup> buckets: array<atomic<u32>, THREADS>;
var<workgroup> ranks: array<atomic<u32>, THREADS>;
// Lanes have these parts of the sums of a round.
var<workgroup> parts: array<f32, THREADS * ROWS>;
var<workgroup> chosen: array<u32, CHOSEN>;
var<workgroup> chosenCount: atomic<u32>;
var<workgroup> entryCount: atomic<u32>;
var<workgroup> agreed: u32;

@each_workgroup(params.queryRows)
fn main(query: u32, lane: u32) {
  let vectors = (params.groups + 3u) / 4u;
  let mine = leastOfLane(query, lane, vectors);
  var limit = kthOfBuckets(lane, mine);
  var held = 0u;
  var stretch = vectors;
  // True as long as values are assumed to be what they were when groups got their keys.
  var trusted = true;
  for (var begin = 0u; begin < vectors; begin += stretch) {
    // Of equal keys the first count, and these come later.
    let bound = select(ALL, select(limit, max(limit, 1u) - 1u, held == params.k), trusted);
    let all = stretch == vectors;
    let found = choose(lane, query, begin, min(vectors, begin + stretch), bound, all && mine > bound);
    if (found > CHOSEN) {
      stretch = CHOSEN / 4u;
      begin = 0u - stretch;
      continue;
    }
    for (var at = 0u; at < found * GROUP; at += ROUND) {
      makeValues(lane, query, at, found * GROUP, limit);
      workgroupBarrier();
      held = agree(lane, atomicLoad(&entryCount));
      if (held + ROUND > CAPACITY || at + ROUND >= found * GROUP) {
        sortEntries(lane, held);
        held = min(held, params.k);
        if (held == params.k) {
          limit = min(limit, workgroupUniformLoad(&entryKeys[params.k - 1u]));
        }
        atomicStore(&entryCount, held);
      }
    }
    if (begin + stretch >= vectors && held < params.k && limit != ALL) {
      // This happens only if the compiler gave pairs other bits here than before: all groups compete then.
      trusted = false;
      limit = ALL;
      held = 0u;
      atomicStore(&entryCount, 0u);
      stretch = CHOSEN / 4u;
      begin = 0u - stretch;
    }
  }
  for (var at = lane; at < params.k; at += THREADS) {
    let distance = valueOfKey(entryKeys[at]);
    distances[query * params.k + at] = select(distance, sqrt(distance), ROOT);
    indices[query * params.k + at] = entryIndices[at];
  }
}

fn leastOfLane(query: u32, lane: u32, vectors: u32) -> u32 {
  var all = vec4u(ALL);
  for (var at = lane; at < vectors; at += BATCH * THREADS) {
    let keys = keysOfBatch(query, at);
    for (var i = 0u; i < BATCH; i++) {
      all = min(all, keys[i]);
    }
  }
  return min(min(all.x, all.y), min(all.z, all.w));
}

// Returns a batch of keys, all of whose loads are on their way at a time.
fn keysOfBatch(query: u32, at: u32) -> array<vec4u, BATCH> {
  var keys: array<vec4u, BATCH>;
  for (var i = 0u; i < BATCH; i++) {
    keys[i] = keysAt(query, at + i * THREADS);
  }
  return keys;
}

// Returns the keys of four groups, as if those past the last one held nothing.
fn keysAt(query: u32, vector: u32) -> vec4u {
  let there = vec4u(4u * vector) + vec4u(0u, 1u, 2u, 3u) < vec4u(params.groups);
  return select(vec4u(ALL), least[query * params.pitch + min(vector, params.pitch - 1u)], there);
}

// Returns the k-th of the least keys of the buckets, among which lanes are divided: at least as many
// references are up to it. Lanes of a bucket share the others.
fn kthOfBuckets(lane: u32, key: u32) -> u32 {
  let bucket = lane % params.buckets;
  atomicMax(&buckets[bucket], ~key);
  workgroupBarrier();
  let own = atomicLoad(&buckets[bucket]);
  var before = 0u;
  for (var i = lane / params.buckets; i < params.buckets; i += THREADS / params.buckets) {
    let other = atomicLoad(&buckets[i]);
    before += select(0u, 1u, other > own || (other == own && i < bucket));
  }
  atomicAdd(&ranks[bucket], before);
  workgroupBarrier();
  if (lane < params.buckets && atomicLoad(&ranks[lane]) + 1u == params.k) {
    agreed = ~own;
  }
  return workgroupUniformLoad(&agreed);
}

// Keeps the groups up to `bound` as long as there is room.
// @param none true where the lane knows that it has none
// @returns the number of those groups
fn choose(lane: u32, query: u32, begin: u32, end: u32, bound: u32, none: bool) -> u32 {
  workgroupBarrier();
  if (lane == 0u) {
    atomicStore(&chosenCount, 0u);
  }
  workgroupBarrier();
  for (var at = select(begin + lane, end, none); at < end; at += BATCH * THREADS) {
    let keys = keysOfBatch(query, at);
    for (var i = 0u; i < BATCH; i++) {
      if (at + i * THREADS < end) {
        keepUpTo(keys[i], at + i * THREADS, bound);
      }
    }
  }
  workgroupBarrier();
  return agree(lane, atomicLoad(&chosenCount));
}

fn keepUpTo(keys: vec4u, vector: u32, bound: u32) {
  for (var j = 0u; j < 4u; j++) {
    if (keys[j] <= bound && 4u * vector + j < params.groups) {
      let slot = atomicAdd(&chosenCount, 1u);
      if (slot < CHOSEN) {
        chosen[slot] = 4u * vector + j;
      }
    }
  }
}

// Returns the value of the first lane to all lanes.
fn agree(lane: u32, value: u32) -> u32 {
  if (lane == 0u) {
    agreed = value;
  }
  return workgroupUniformLoad(&agreed);
}

// Makes the values of the references of the chosen groups, from number `begin` on: each value up to the limit
// becomes an entry.
fn makeValues(lane: u32, query: u32, begin: u32, end: u32, limit: u32) {
  var rows: array<u32, ROWS>;
  for (var r = 0u; r < ROWS; r++) {
    let reference = referenceOf(min(begin + r * TEAMS + lane / ROW_LANES, end - 1u));
    rows[r] = min(reference, params.refRows - 1u) * params.depth;
  }
  var sums: array<f32, ROWS>;
  // These are the squared lengths, of every fourth vector together.
  var own: vec4f;
  var other: vec4f;
  for (var first = lane % ROW_LANES; first < params.depth; first += AHEAD * ROW_LANES) {
    var here: array<vec4f, AHEAD>;
    var there: array<vec4f, AHEAD * ROWS>;
    for (var v = 0u; v < AHEAD; v++) {
      let vector = min(first + v * ROW_LANES, params.depth - 1u);
      here[v] = queries[query * params.depth + vector];
      for (var r = 0u; r < ROWS; r++) {
        there[v * ROWS + r] = refs[rows[r] + vector];
      }
    }
    for (var v = 0u; v < AHEAD; v++) {
      let vector = first + v * ROW_LANES;
      if (vector < params.depth) {
        for (var r = 0u; r < ROWS; r++) {
          sums[r] = accumulateRow(sums[r], here[v], there[v * ROWS + r], vector);
        }
        if (NORMS) {
          own[v] += squareOf(here[v]);
          other[v] += squareOf(there[v * ROWS]);
        }
      }
    }
  }
  workgroupBarrier();
  for (var r = 0u; r < ROWS; r++) {
    parts[r * THREADS + lane] = sums[r];
  }
  workgroupBarrier();
  for (var at = lane; at < ROUND && begin + at < end; at += THREADS) {
    let reference = referenceOf(begin + at);
    let sum = joinParts(at / TEAMS * THREADS + at % TEAMS * ROW_LANES);
    var value = finish(vec4f(sum), totalOf(own), vec4f(totalOf(other))).x;
    if (NORMS) {
      value = select(value, 0.0, value < 0.0); // NaN stays
    }
    let key = keyOfValue(bitcast<u32>(value));
    if (key <= limit && reference < params.refRows) {
      let slot = atomicAdd(&entryCount, 1u);
      entryKeys[slot] = key;
      entryIndices[slot] = reference;
    }
  }
}

// Returns a reference of the chosen groups by its number among theirs.
fn referenceOf(number: u32) -> u32 {
  return chosen[number / GROUP] * GROUP + number % GROUP;
}

fn totalOf(squares: vec4f) -> f32 {
  return squares.x + squares.y + squares.z + squares.w;
}

// Returns the sum of a row whose parts lie from `first` on.
fn joinParts(first: u32) -> f32 {
  var sums: array<f32, ROW_LANES>;
  for (var i = 0u; i < ROW_LANES; i++) {
    sums[i] = parts[first + i];
  }
  if (TREE) {
    for (var width = 1u; width < ROW_LANES; width *= 2u) {
      for (var i = 0u; i < ROW_LANES; i += 2u * width) {
        sums[i] = join(sums[i], sums[i + width]);
      }
    }
    return sums[0];
  }
  var sum = sums[0];
  for (var i = 1u; i < ROW_LANES; i++) {
    sum = join(sum, sums[i]);
  }
  return sum;
}
