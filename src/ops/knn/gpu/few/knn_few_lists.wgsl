// The last pass of knn.fewFilter lets one workgroup find the candidates of one query, for which it must be
// quick. It chooses the groups of references that may hold some by the ends that keep_ends left, computes
// their pairs again, and takes those that pass into the running candidate list.
//
// High ends of spans belong to distinct references. So the k-th of the least high ends that lanes saw is a
// limit that nothing wanted exceeds. Only spans with a low end up to it are looked at, and only such groups
// of them. Where more spans are chosen than there is room for, all are looked at, or with givesUp none, and
// the count says so.
//
// Two snippets keep the list: few_kept for small k and short lists, few_merged for others.
//
// Globals: THREADS, GROUP, CHOSEN_SPANS and CHOSEN_GROUPS (so many at a time), ROW_LANES (lanes that share a
// reference), ROWS (references of a lane at a time); params (spanGroups: of a span; givesUp); queries,
// queryMeta, refs, refMeta, heads, scratch; accumulateRow (distance_row), join, valueOf (pair_value);
// intervalOf, keyOf (distance_interval); ALL, agreed, entryLimit, limitOf, takeList, admit, settle (few_kept,
// few_merged).

const TEAMS: u32 = THREADS / ROW_LANES;
// The pairs of this many references are computed at a time.
const ROUND: u32 = TEAMS * ROWS;
// This many loads of a lane are on their way at a time.
const BATCH: u32 = 4u;

var<workgroup> spans: array<u32, CHOSEN_SPANS>;
// These are the numbers of lanes at first, then of chosen groups.
var<workgroup> groups: array<u32, CHOSEN_GROUPS>;
// Lanes have these parts of the sums of a round.
var<workgroup> parts: array<f32, ROWS * THREADS>;
var<workgroup> count: atomic<u32>;

const_assert THREADS <= CHOSEN_GROUPS;

@each_workgroup(params.queryRows)
fn main(query: u32, lane: u32) {
  if (lane == 0u) {
    agreed = heads[query];
  }
  let head = workgroupUniformLoad(&agreed);
  if (head.x > params.capacity) {
    return;
  }
  let least = leastOf(query, lane);
  var limit = min(limitOf(query, lane, least.y), entryLimit(head));
  takeList(query, lane, head.x);
  let found = chooseSpans(query, lane, limit, least.x);
  let all = found > CHOSEN_SPANS;
  let givesUp = all && params.givesUp != 0u;
  let end = select(select(found, params.spans, all), 0u, givesUp);

  var listed = head.x;
  var begin = 0u;
  var at = 0u;
  var references = 0u;
  for (var done = false; !done;) {
    if (at >= references && begin < end) {
      let stretch = min(end, begin + CHOSEN_GROUPS / params.spanGroups);
      references = GROUP * chooseGroups(query, lane, begin, stretch, all, limit);
      begin = stretch;
      at = 0u;
    }
    if (at < references) {
      computePairs(query, lane, at, references, limit);
      at += ROUND;
    }
    done = at >= references && begin >= end;
    let now = settle(query, lane, listed, done);
    if (now.x > params.capacity) {
      return;
    }
    listed = now.x;
    limit = min(limit, now.y);
  }
  // The query is then done again otherwise. Too few are listed only if ends are no numbers.
  if (lane == 0u && (givesUp || listed < min(params.k, head.x + params.refRows))) {
    heads[query].x = select(params.capacity + 1u, ALL, givesUp);
  }
}

// Returns the least low and the least high end of the spans of a lane.
fn leastOf(query: u32, lane: u32) -> vec2u {
  var least = vec2u(ALL);
  for (var at = lane; at < params.spans; at += BATCH * THREADS) {
    for (var i = 0u; i < BATCH; i++) {
      let word = wordOf(query, min(at + i * THREADS, params.spans - 1u));
      let ends = vec2u(scratch[word], scratch[word + 1u]);
      // High ends past the last would count twice.
      least = select(least, min(least, ends), at + i * THREADS < params.spans);
    }
  }
  return least;
}

// Lists the spans with a low end up to the limit as long as there is room, in any order. All lanes look at
// the spans of those that have some.
// @param low the least low end of the lane's spans
// @returns how many there are
fn chooseSpans(query: u32, lane: u32, limit: u32, low: u32) -> u32 {
  if (low <= limit) {
    groups[atomicAdd(&count, 1u)] = lane;
  }
  let lanes = counted(lane);
  for (var at = lane; at < lanes * ((params.spans + THREADS - 1u) / THREADS); at += THREADS) {
    let span = groups[at % lanes] + at / lanes * THREADS;
    if (span < params.spans && scratch[wordOf(query, span)] <= limit) {
      let slot = atomicAdd(&count, 1u);
      if (slot < CHOSEN_SPANS) {
        spans[slot] = span;
      }
    }
  }
  return counted(lane);
}

// Lists the groups with a low end up to the limit of some chosen spans, or of all spans with these numbers.
// @returns how many there are
fn chooseGroups(query: u32, lane: u32, begin: u32, end: u32, all: bool, limit: u32) -> u32 {
  for (var at = lane; at < (end - begin) * params.spanGroups; at += THREADS) {
    var span = begin + at / params.spanGroups;
    if (!all) {
      span = spans[span];
    }
    let group = span * params.spanGroups + at % params.spanGroups;
    if (group < params.groups && scratch[2u * (query * params.groups + group)] <= limit) {
      groups[atomicAdd(&count, 1u)] = group;
    }
  }
  return counted(lane);
}

// Returns what lanes counted, and begins anew.
fn counted(lane: u32) -> u32 {
  workgroupBarrier();
  if (lane == 0u) {
    agreed = vec2u(atomicLoad(&count));
    atomicStore(&count, 0u);
  }
  return workgroupUniformLoad(&agreed).x;
}

// Computes the pairs with a round of the references of the chosen groups, from number `begin` on; those up to
// the limit are admitted.
fn computePairs(query: u32, lane: u32, begin: u32, end: u32, limit: u32) {
  var rows: array<u32, ROWS>;
  for (var r = 0u; r < ROWS; r++) {
    let reference = referenceOf(min(begin + r * TEAMS + lane / ROW_LANES, end - 1u));
    rows[r] = (params.refBegin + min(reference, params.refRows - 1u)) * params.stride;
  }
  var sums: array<f32, ROWS>;
  for (var vector = lane % ROW_LANES; vector < params.depth; vector += ROW_LANES) {
    let own = queries[query * params.stride + vector];
    var entries: array<vec4f, ROWS>;
    for (var r = 0u; r < ROWS; r++) {
      entries[r] = refs[rows[r] + vector];
    }
    for (var r = 0u; r < ROWS; r++) {
      sums[r] = accumulateRow(sums[r], own, entries[r], vector);
    }
  }
  for (var r = 0u; r < ROWS; r++) {
    parts[r * THREADS + lane] = sums[r];
  }
  workgroupBarrier();
  for (var at = lane; at < ROUND; at += THREADS) {
    let reference = referenceOf(min(begin + at, end - 1u));
    if (begin + at < end && reference < params.refRows) {
      let own = queryMeta[query];
      let other = refMeta[params.refBegin + reference];
      let interval = intervalOf(valueOf(sumOf(at), own, other), own, other);
      if (keyOf(interval.x) <= limit) {
        admit(query, params.firstRow + reference, interval);
      }
    }
  }
  workgroupBarrier();
}

// Returns a reference of the chosen groups by its number among theirs.
fn referenceOf(number: u32) -> u32 {
  return groups[number / GROUP] * GROUP + number % GROUP;
}

// Returns the sum of a pair of the round, whose parts lie side by side.
fn sumOf(pair: u32) -> f32 {
  let first = pair * ROW_LANES;
  var sum = parts[first];
  for (var i = 1u; i < ROW_LANES; i++) {
    sum = join(sum, parts[first + i]);
  }
  return sum;
}

fn wordOf(query: u32, span: u32) -> u32 {
  return params.spanEnds + 2u * (query * params.spans + span);
}
