// This pass of knn.treeFilter lets one lane take one query down the tree, the nearer child first, past every
// node whose box is certain to hold nothing near enough. When the query has visited as many points as it may,
// it goes on in the next pass, from where it stands: a node, and a bit for each level above it that says
// whether the other child there is still to be visited.
//
// Globals: THREADS, WORDS, K (at least k); params; queries, queryMeta, points, boxes, heads,
// candidates, intervals, scratch; query_gap; leafSpan.

// These are the least high ends so far, ascending; the last of k is the threshold.
var<private> highs: array<f32, K>;
var<private> threshold: f32;
// Packets leave this threshold, which k rows are known to be within.
var<private> bound: f32;
var<private> list: u32;
var<private> count: u32;

@each_lane(params.lanes)
fn main(first: u32) {
  let waiting = atomicLoad(&scratch[params.round]);
  let begin = WORDS + (params.round & 1u) * params.queryRows;
  for (var at = first; at < waiting; at += params.lanes) {
    searchOn(atomicLoad(&scratch[begin + at]), waiting);
  }
}

fn searchOn(query: u32, waiting: u32) {
  own = vec4f(queries[query].xyz, queryMeta[query].z);
  list = query * params.capacity;
  count = heads[query].x;
  bound = bitcast<f32>(heads[query].y);
  beginAgain();
  let place = WORDS + 2u * params.queryRows + 2u * query;
  var node = atomicLoad(&scratch[place]);
  var pending = atomicLoad(&scratch[place + 1u]);
  let budget = clamp(params.pairs / waiting, 1u, params.most);
  var spent = 0u;
  var visited = 0u;
  while (node != 0u && spent < budget) {
    spent += 1u;
    if (node < params.first) {
      let left = boxLow(2u * node);
      let right = boxLow(2u * node + 1u);
      let wantsLeft = !(left > threshold);
      let wantsRight = !(right > threshold);
      if (wantsLeft || wantsRight) {
        node = 2u * node + u32(right < left);
        pending = 2u * pending + u32(wantsLeft && wantsRight);
        continue;
      }
    } else if (!(boxLow(node) > threshold)) {
      let points = visit(node - params.first);
      spent += points;
      visited += points;
      if (count > params.capacity) {
        node = 0u;
        break;
      }
    }
    if (pending == 0u) {
      node = 0u;
      break;
    }
    let up = countTrailingZeros(pending);
    node = (node >> up) ^ 1u;
    pending = (pending >> up) ^ 1u;
  }
  if (count <= params.capacity) {
    compact();
  }
  heads[query].x = count;
  countVisited(visited);
  atomicStore(&scratch[place], node);
  atomicStore(&scratch[place + 1u], pending);
  if (node == 0u && count > params.capacity) {
    countUnlisted();
  } else if (node == 0u) {
    countListed(count);
  } else {
    let to = atomicAdd(&scratch[params.round + 1u], 1u);
    atomicStore(&scratch[WORDS + ((params.round + 1u) & 1u) * params.queryRows + to], query);
  }
}

// Finds the threshold of the list as it is. What has left it had a high end above the threshold.
fn beginAgain() {
  for (var i = 0u; i < K; i++) {
    highs[i] = LARGEST;
  }
  threshold = bound;
  for (var at = 0u; at < count; at++) {
    lower(intervals[list + at].y);
  }
}

// Offers every point of a leaf to the list. @returns how many there are
fn visit(leaf: u32) -> u32 {
  let margin = boxes[2u * (params.first + leaf)].w;
  let span = leafSpan(leaf);
  for (var at = span.x; at < span.y; at++) {
    let point = points[at];
    let value = valueOf(own.xyz - bitcast<vec3f>(point.xyz));
    let half = halfOf(value, margin);
    if (!(value - half > threshold)) {
      offer(point.w, vec2f(value - half, value + half));
    }
  }
  return span.y - span.x;
}

// Adds a row to the list. Where that is full, and stays so, the count is above its capacity.
fn offer(row: u32, interval: vec2f) {
  lower(interval.y);
  if (count == params.capacity) {
    compact();
  }
  if (count < params.capacity) {
    candidates[list + count] = row;
    intervals[list + count] = interval;
  }
  count = min(count, params.capacity) + 1u;
}

fn lower(high: f32) {
  if (!(high < threshold)) {
    return;
  }
  var at = params.k - 1u;
  while (at > 0u && highs[at - 1u] > high) {
    highs[at] = highs[at - 1u];
    at -= 1u;
  }
  highs[at] = high;
  threshold = min(bound, highs[params.k - 1u]);
}

// Leaves out the entries that are certainly too far.
fn compact() {
  var kept = 0u;
  for (var at = 0u; at < count; at++) {
    let interval = intervals[list + at];
    if (!(interval.x > threshold)) {
      candidates[list + kept] = candidates[list + at];
      intervals[list + kept] = interval;
      kept += 1u;
    }
  }
  count = kept;
}
