// In the first search of knn.treeFilter a packet of queries, which lie near each other, goes down the tree
// together, past every node that none of them needs, so that all of its lanes read one point at a time. It
// looks at all nodes WIDTH levels below another one: CHILDREN lanes that follow each other are a part of the
// packet, and each tests one node against all of the part's queries. Of the nodes that any query wants the
// packet goes into the one that is nearest to its middle. It looks at the others again when it is back: by
// then fewer are wanted. Each query keeps the k least high ends and one more in registers, and the rows of
// long lists in memory of the lane. One whose list is then certain to be complete is done. The others, which
// are those of ties, of packets that have visited as many points as they may, and of packets that begin when
// all together have, are listed for the passes that follow, which begin anew.
//
// Globals: THREADS, WORDS, WIDTH (at most 3; a packet's lanes are a multiple of 2^WIDTH), K (more than k),
// CORE; params; queries, points, boxes, scratch; query_gap; leafSpan; beginBest, keepBest, worstOfBest,
// lastOfBest, writeBest (best.ts or keys.ts); packet_*; query_lists or query_results, which_points; putCount
// (count_lists or count_nothing).

// All values are above this: lanes without a query want nothing, and entries that are no rows stay first.
const FLOOR: f32 = -0x1p126;
const CHILDREN: u32 = 1u << WIDTH;

// These are the queries of the workgroup's packets, each in its lane's place, and, as bits of f32, limits
// above which they want no box. The limits only ever fall, so that a lane that reads one from before another
// lane's last write wants too much at most.
var<workgroup> positions: array<vec3f, THREADS>;
var<workgroup> limits: array<atomic<u32>, THREADS>;

var<private> threshold: f32;
// Values above this have low ends that are certainly above the threshold.
var<private> limit: f32;
// This is the least high end that passed and was not kept.
var<private> near: f32;
var<private> asked: u32;

@each_workgroup(params.groups)
fn main(group: u32, lane: u32) {
  beginPacket(lane);
  let at = group * THREADS + lane;
  let isQuery = at < params.queryRows;
  let query = atomicLoad(&scratch[WORDS + min(at, params.queryRows - 1u)]);
  asked = query;
  own = vec4f(queries[query].xyz, marginOfQuery(query));
  near = LARGEST;
  let unused = select(K, K - 1u - params.k, isQuery);
  beginBest(unused);
  threshold = select(FLOOR, worstOfBest(), isQuery);
  positions[packetFirst + packetLane] = own.xyz;
  putLimit();
  workgroupBarrier();
  let ownChild = packetLane % CHILDREN;
  let middle = 0.5 * largestOfPacket(own.xyz) - 0.5 * largestOfPacket(-own.xyz);
  let firstWidth = select((params.levels - 1u) % WIDTH + 1u, 0u, params.levels == 0u);
  var node = 1u;
  var depth = 0u;
  var width = firstWidth;
  // `left` has a bit for each node below that is still to be visited; `above` has those of the nodes above,
  // the last one's first. Trees have at most 28 levels.
  var left = (1u << (1u << width)) - 1u;
  var above = vec3u();
  var spent = 0u;
  var visited = 0u;
  var isWhole = false;
  let isLate = maxOfPacket(u32(visitedSoFar() > params.total)) == 1u;
  let most = select(params.most, 0u, isLate);
  while (spent < most) {
    spent += 1u;
    while (left == 0u && depth > 0u) {
      depth -= 1u;
      width = select(WIDTH, firstWidth, depth == 0u);
      node >>= width;
      left = above.x & ((1u << CHILDREN) - 1u);
      above = (above >> vec3u(CHILDREN)) | (vec3u(above.yz, 0u) << vec3u(32u - CHILDREN));
    }
    if (left == 0u) {
      isWhole = true;
      break;
    }
    let first = node << width;
    let least = boxes[2u * (first + ownChild)].xyz;
    let largest = boxes[2u * (first + ownChild) + 1u].xyz;
    left &= orOfPacket(u32(isNear(least, largest)) << ownChild);
    if (left == 0u) {
      continue;
    }
    let far = bitcast<u32>(valueOf(0.5 * least + 0.5 * largest - middle));
    let key = select(0u, ~((far & ~7u) | ownChild), ((left >> ownChild) & 1u) != 0u);
    let child = ~maxOfPacket(key) & 7u;
    left &= ~(1u << child);
    if (!isNeeded(first + child)) {
      continue;
    }
    if (first + child < params.first) {
      node = first + child;
      above = (above << vec3u(CHILDREN)) | vec3u(left, above.xy >> vec2u(32u - CHILDREN));
      depth += 1u;
      width = WIDTH;
      left = (1u << CHILDREN) - 1u;
    } else {
      let points = visit(first + child);
      putLimit();
      spent += points;
      visited += points;
    }
  }
  let isDone = isQuery && isWhole && isComplete();
  let listed = listedOfBest();
  let sum = sumOfPacket(u32(isQuery) | (select(0u, listed, isDone) << 8u));
  if (packetLane == 0u) {
    countVisited(visited * (sum & 0xffu));
    countListed(sum >> 8u);
  }
  if (!isQuery) {
    return;
  }
  // No row has shown what an empty entry says.
  putCount(query, select(0u, listed, isDone), select(threshold, LARGEST, threshold > 0x1p125));
  if (isDone) {
    writeBest(query * params.capacity, unused, unused + listed);
  } else {
    atomicStore(&scratch[WORDS + params.queryRows + atomicAdd(&scratch[1], 1u)], query);
  }
}

// Tells whether any query of the lane's part wants a box. Parts go through theirs from different places on,
// so that they read from different banks of memory.
fn isNear(least: vec3f, largest: vec3f) -> bool {
  let part = packetLane / CHILDREN;
  var isAnyNear = false;
  for (var i = 0u; i < CHILDREN; i++) {
    let at = packetFirst + CHILDREN * part + (i + 2u * part) % CHILDREN;
    let value = gapValue(positions[at], least, largest);
    isAnyNear |= !(value > bitcast<f32>(atomicLoad(&limits[at])));
  }
  return isAnyNear;
}

// Tells the other lanes the limit of this one's query, for any box: no margin is larger than the root's.
fn putLimit() {
  atomicStore(&limits[packetFirst + packetLane], bitcast<u32>(limitOf(boxes[2].w)));
}

// Returns a limit for points and boxes of this margin, or a smaller one. A low end up to the threshold is
// that of a value up to (threshold + own.w + margin) / (1 - slack), but for rounding. As slack is below 3/4,
// 1 + 4 * slack is above 1 / (1 - slack); 0x1p-20 is more than all that is rounded, in different places too.
fn limitOf(margin: f32) -> f32 {
  let above = (threshold + (own.w + margin)) * fma(4.0, params.slack, 1.0 + 0x1p-20);
  return select(above, LARGEST, threshold > 0x1p125);
}

// Offers every point of a leaf. @returns how many there are
fn visit(node: u32) -> u32 {
  let margin = boxes[2u * node].w;
  let span = leafSpan(node - params.first);
  limit = limitOf(margin);
  var at = span.x;
  while (at + 4u <= span.y) {
    let a = points[at];
    let b = points[at + 1u];
    let c = points[at + 2u];
    let d = points[at + 3u];
    let values = vec4f(
      valueOf(own.xyz - bitcast<vec3f>(a.xyz)),
      valueOf(own.xyz - bitcast<vec3f>(b.xyz)),
      valueOf(own.xyz - bitcast<vec3f>(c.xyz)),
      valueOf(own.xyz - bitcast<vec3f>(d.xyz))
    );
    if (any(values <= vec4f(limit))) {
      offer(values.x, margin, a.w);
      offer(values.y, margin, b.w);
      offer(values.z, margin, c.w);
      offer(values.w, margin, d.w);
    }
    at += 4u;
  }
  while (at < span.y) {
    let point = points[at];
    offer(valueOf(own.xyz - bitcast<vec3f>(point.xyz)), margin, point.w);
    at += 1u;
  }
  return span.y - span.x;
}

fn offer(value: f32, margin: f32, row: u32) {
  if (!(value <= limit) || isLeftOut(asked, row)) {
    return;
  }
  near = min(near, keepBest(value + halfOf(value, margin), row));
  threshold = worstOfBest();
  limit = limitOf(margin);
}
