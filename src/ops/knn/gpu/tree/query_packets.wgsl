// The first search of knn.treeFilter: a packet of queries, which lie near each other, goes down the tree
// together, past every node that none of them needs, so that all of its lanes read one point at a time.
// Each keeps the k least high ends and one more in registers. A query whose list is then certain to be
// complete is done; the others, which are those of ties and of packets that have visited as many points
// as they may, are listed for query_search, which begins anew.
//
// Globals: THREADS, WORDS, LEAF, K (more than k), CORE; params; queries, queryMeta, points, boxes, heads,
// candidates, scratch; query_gap; beginBest, keepBest, worstOfBest, lastOfBest, writeBest (best.ts);
// sumOfPacket, isFirstOfPacket (packet_*).

// Stands for entries that are no rows and stay.
const FLOOR: f32 = -0x1p126;

var<private> ownLane: u32;
var<private> threshold: f32;
// The least high end that passed and was not kept.
var<private> near: f32;

@each_workgroup(params.groups)
fn main(group: u32, lane: u32) {
  let at = group * THREADS + lane;
  let isQuery = at < params.queryRows;
  let query = atomicLoad(&scratch[WORDS + min(at, params.queryRows - 1u)]);
  own = vec4f(queries[query].xyz, queryMeta[query].z);
  ownLane = lane;
  near = LARGEST;
  let unused = select(K, K - 1u - params.k, isQuery);
  beginBest(unused);
  threshold = worstOfBest();
  var node = 1u;
  // A bit for each level above the node: the other child there is still to be visited.
  var pending = 0u;
  var spent = 0u;
  var visited = 0u;
  while (node != 0u && spent < params.most) {
    spent += 1u;
    if (node < params.first) {
      let left = boxLow(2u * node);
      var right = LARGEST;
      var wantsRight = false;
      if (exists(2u * node + 1u)) {
        right = boxLow(2u * node + 1u);
        wantsRight = !(right > threshold);
      }
      let wantsLeft = !(left > threshold);
      let wants = wantsLeft || wantsRight;
      let sum = sumOfPacket(
        u32(wantsLeft) |
        (u32(wantsRight) << 8u) |
        (u32(wants && !(right < left)) << 16u) |
        (u32(wants && right < left) << 24u)
      );
      let forLeft = (sum & 0xffu) != 0u;
      let forRight = (sum & 0xff00u) != 0u;
      if (forLeft || forRight) {
        let isRight = !forLeft || (forRight && (sum >> 24u) > ((sum >> 16u) & 0xffu));
        node = 2u * node + u32(isRight);
        pending = 2u * pending + u32(forLeft && forRight);
        continue;
      }
    } else if (sumOfPacket(u32(!(boxLow(node) > threshold))) != 0u) {
      let points = visit(node - params.first);
      spent += points;
      visited += points;
    }
    if (pending == 0u) {
      node = 0u;
      break;
    }
    let up = countTrailingZeros(pending);
    node = (node >> up) ^ 1u;
    pending = (pending >> up) ^ 1u;
  }
  let isDone = isQuery && node == 0u && isBeyond(near);
  let listed = params.k + u32(!isBeyond(lastOfBest()));
  let sum = sumOfPacket(u32(isQuery) | (select(0u, listed, isDone) << 8u));
  if (isFirstOfPacket()) {
    countVisited(visited * (sum & 0xffu));
    countListed(sum >> 8u);
  }
  if (!isQuery) {
    return;
  }
  heads[query].x = select(0u, listed, isDone);
  if (isDone) {
    writeBest(query * params.capacity, unused, unused + listed);
  } else {
    atomicStore(&scratch[WORDS + params.queryRows + atomicAdd(&scratch[1], 1u)], query);
  }
}

// Tells whether all rows whose high end is no lower have low ends above the threshold, whatever was rounded.
fn isBeyond(high: f32) -> bool {
  return high - 2.25 * fma(params.slack + 0x1p-20, high, own.w + boxes[2].w) > threshold;
}

// Values above it have low ends that are certainly above the threshold, whatever was rounded.
fn limitOf(margin: f32) -> f32 {
  let limit = (threshold + (own.w + margin)) * fma(4.0, params.slack, 1.0 + 0x1p-20);
  return select(limit, LARGEST, threshold > 0x1p125);
}

// Offers every point of a leaf; returns their number.
fn visit(leaf: u32) -> u32 {
  let margin = boxes[2u * (params.first + leaf)].w;
  let begin = leaf * LEAF;
  let end = min(begin + LEAF, params.rows);
  var at = begin;
  while (at + 4u <= end) {
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
    if (any(values <= vec4f(limitOf(margin)))) {
      offer(values.x, margin, a.w);
      offer(values.y, margin, b.w);
      offer(values.z, margin, c.w);
      offer(values.w, margin, d.w);
    }
    at += 4u;
  }
  while (at < end) {
    let point = points[at];
    offer(valueOf(own.xyz - bitcast<vec3f>(point.xyz)), margin, point.w);
    at += 1u;
  }
  return end - begin;
}

fn offer(value: f32, margin: f32, row: u32) {
  if (!(value <= limitOf(margin))) {
    return;
  }
  near = min(near, keepBest(value + halfOf(value, margin), row));
  threshold = worstOfBest();
}
