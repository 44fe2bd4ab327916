// This pass of knn.within lets one lane take one query through the tree, past every node whose box is certain
// to hold nothing within the threshold. It counts what is left, or lists it. All of a node whose farthest
// corner is within the threshold by more than rounding is counted at once: its points would be, one by one.
// When the query has visited as many points as it may, it goes on in the next pass from where it stands.
//
// Globals: THREADS, WORDS, TURNS; params; queries, queryMeta, points, boxes, heads, offsets, entries,
// scratch; query_gap; leafBegin, leafSpan.

var<private> count: u32;
var<private> begin: u32;
var<private> end: u32;

@each_lane(params.lanes)
fn main(first: u32) {
  let waiting = atomicLoad(&scratch[params.round]);
  let from = WORDS + (params.round & 1u) * params.queryRows;
  if (first == 0u) {
    atomicStore(&scratch[(params.round + 2u) % TURNS], 0u);
  }
  for (var at = first; at < waiting; at += params.lanes) {
    searchOn(atomicLoad(&scratch[from + at]), waiting);
  }
}

fn searchOn(query: u32, waiting: u32) {
  own = vec4f(queries[query].xyz, queryMeta[query].z);
  count = heads[query].x;
  if (params.lists == 1u) {
    begin = offsets[query];
    end = offsets[query + 1u];
  }
  let place = WORDS + 2u * params.queryRows + 2u * query;
  var node = atomicLoad(&scratch[place]);
  let budget = clamp(params.pairs / waiting, 1u, params.most);
  var spent = 0u;
  var visited = 0u;
  while (node != 0u && spent < budget) {
    spent += 1u;
    if (!(boxLow(node) > params.threshold)) {
      if (node < params.first && !(params.lists == 0u && isWithin(node))) {
        node = 2u * node;
        continue;
      }
      if (node < params.first) {
        let down = params.levels - firstLeadingBit(node);
        count += leafBegin(((node + 1u) << down) - params.first) - leafBegin((node << down) - params.first);
      } else {
        let points = visit(query, node - params.first);
        spent += points;
        visited += points;
      }
    }
    // This is the node that comes after all below this one: the root after the last.
    node = (node + 1u) >> countTrailingZeros(node + 1u);
    node = select(node, 0u, node == 1u);
  }
  heads[query].x = count;
  countVisited(visited);
  atomicStore(&scratch[place], node);
  if (node == 0u) {
    countListed(count);
  } else {
    let to = atomicAdd(&scratch[(params.round + 1u) % TURNS], 1u);
    atomicStore(&scratch[WORDS + ((params.round + 1u) & 1u) * params.queryRows + to], query);
  }
}

// Tells whether no value of a point below the node can be computed as more than the threshold.
fn isWithin(node: u32) -> bool {
  let sides = max(abs(boxes[2u * node].xyz - own.xyz), abs(boxes[2u * node + 1u].xyz - own.xyz));
  return fma(valueOf(sides), 1.0 + 0x1p-18, 0x1p-100) <= params.threshold;
}

// Takes the points of a leaf. @returns how many there are
fn visit(query: u32, leaf: u32) -> u32 {
  let margin = boxes[2u * (params.first + leaf)].w;
  let span = leafSpan(leaf);
  for (var at = span.x; at < span.y; at++) {
    let point = points[at];
    let value = valueOf(own.xyz - bitcast<vec3f>(point.xyz));
    if (!(value - halfOf(value, margin) > params.threshold)) {
      if (params.lists == 1u && begin + count < end) {
        entries[begin + count] = vec2u(point.w, query);
      }
      count += 1u;
    }
  }
  return span.y - span.x;
}
