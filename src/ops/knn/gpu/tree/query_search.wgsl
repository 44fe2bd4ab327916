// A pass of knn.treeFilter: one lane takes one query down the tree, the nearer child first, past every node
// whose box is certain to hold nothing near enough. When it has visited as many points as it may, the query
// goes on in the next pass, from where it stands: a node, and a bit for each level above it that says whether
// the child there was the second.
//
// The gap between a query and a box is the difference between the query and a point of the box, which float32
// holds as it is. So its interval is certain to reach no lower than that of any row in the box.
//
// Globals: THREADS, WORDS, LEAF, K (at least k), CORE; params; queries, queryMeta, points, boxes, heads,
// candidates, intervals, scratch.

const LARGEST: f32 = 0x1.fffffep+127;
const L1: u32 = 1u;
const L2: u32 = 0u;

// The least high ends so far, ascending; the last of k is the threshold.
var<private> highs: array<f32, K>;
var<private> threshold: f32;
var<private> own: vec4f;
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
  beginAgain();
  let place = WORDS + 2u * params.queryRows + 2u * query;
  var node = atomicLoad(&scratch[place]);
  var trail = atomicLoad(&scratch[place + 1u]);
  let budget = clamp(params.pairs / waiting, 1u, params.most);
  var spent = 0u;
  var visited = 0u;
  while (node != 0u && spent < budget) {
    spent += 1u;
    var isDone = true;
    if (node < params.first) {
      let left = boxLow(2u * node);
      var right = LARGEST;
      if (exists(2u * node + 1u)) {
        right = boxLow(2u * node + 1u);
      }
      if (!(min(left, right) > threshold)) {
        node = 2u * node + select(0u, 1u, right < left);
        trail = 2u * trail;
        isDone = false;
      }
    } else {
      let points = visit(node - params.first);
      spent += points;
      visited += points;
      if (count > params.capacity) {
        node = 0u;
        break;
      }
    }
    // The way back, to the first node whose second child has not been visited and may hold a neighbour.
    while (isDone) {
      if (node == 1u) {
        node = 0u;
        break;
      }
      if ((trail & 1u) == 0u && exists(node ^ 1u) && !(boxLow(node ^ 1u) > threshold)) {
        node = node ^ 1u;
        trail |= 1u;
        break;
      }
      node = node >> 1u;
      trail = trail >> 1u;
    }
  }
  if (count <= params.capacity) {
    compact();
  }
  heads[query] = vec2u(count, heads[query].y + visited);
  atomicStore(&scratch[place], node);
  atomicStore(&scratch[place + 1u], trail);
  if (node != 0u) {
    let to = atomicAdd(&scratch[params.round + 1u], 1u);
    atomicStore(&scratch[WORDS + ((params.round + 1u) & 1u) * params.queryRows + to], query);
  }
}

// Finds the threshold of the list as it is. What has left it had a high end above the threshold.
fn beginAgain() {
  for (var i = 0u; i < K; i++) {
    highs[i] = LARGEST;
  }
  threshold = LARGEST;
  for (var at = 0u; at < count; at++) {
    lower(intervals[list + at].y);
  }
}

// Nodes of a level whose leaves would lie behind the last one do not exist.
fn exists(node: u32) -> bool {
  let level = firstLeadingBit(node);
  return ((node - (1u << level)) << (params.levels - level)) < params.leaves;
}

fn valueOf(difference: vec3f) -> f32 {
  if (CORE == L2) {
    return fma(difference.z, difference.z, fma(difference.y, difference.y, difference.x * difference.x));
  }
  let sides = abs(difference);
  if (CORE == L1) {
    return sides.x + sides.y + sides.z;
  }
  return max(sides.x, max(sides.y, sides.z));
}

fn halfOf(value: f32, margin: f32) -> f32 {
  return fma(params.slack, value, own.w + margin);
}

fn boxLow(node: u32) -> f32 {
  let least = boxes[2u * node];
  let largest = boxes[2u * node + 1u];
  let value = valueOf(max(max(least.xyz - own.xyz, own.xyz - largest.xyz), vec3f()));
  return value - halfOf(value, least.w);
}

// Offers every point of a leaf to the list; returns their number.
fn visit(leaf: u32) -> u32 {
  let margin = boxes[2u * (params.first + leaf)].w;
  let begin = leaf * LEAF;
  let end = min(begin + LEAF, params.rows);
  for (var at = begin; at < end; at++) {
    let point = points[at];
    let value = valueOf(own.xyz - bitcast<vec3f>(point.xyz));
    let half = halfOf(value, margin);
    if (!(value - half > threshold)) {
      offer(point.w, vec2f(value - half, value + half));
    }
  }
  return end - begin;
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
  threshold = highs[params.k - 1u];
}

// Leaves out what is certainly too far.
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
