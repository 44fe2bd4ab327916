// This pass of knn.nearestPoints goes on with the queries that are left, as query_search does: one lane takes
// one down the tree. The results so far lie, in order, where those at the end do. The last pass takes all as
// far as it needs, since nothing comes after it.
//
// Globals: THREADS, WORDS, CORE; params; queries, points, boxes, distances, indices, scratch; query_gap;
// leafSpan; mayHold; which_points.

var<private> threshold: f32;
var<private> worstRow: u32;
var<private> list: u32;

@each_lane(params.lanes)
fn main(first: u32) {
  let waiting = atomicLoad(&scratch[params.round]);
  let begin = WORDS + (params.round & 1u) * params.queryRows;
  for (var at = first; at < waiting; at += params.lanes) {
    searchOn(atomicLoad(&scratch[begin + at]), waiting);
  }
}

fn searchOn(query: u32, waiting: u32) {
  own = vec4f(queries[query].xyz, 0.0);
  list = query * params.k;
  let place = WORDS + 2u * params.queryRows + 2u * query;
  var node = atomicLoad(&scratch[place]);
  var pending = atomicLoad(&scratch[place + 1u]);
  if (node == 1u) {
    for (var i = 0u; i < params.k; i++) {
      put(i, farthest(), NO_POINT);
    }
  }
  lookAtLast();
  let budget = clamp(params.pairs / waiting, params.least, params.most);
  var spent = 0u;
  while (node != 0u && spent < budget) {
    spent += 1u;
    if (node < params.first) {
      let left = boxLow(2u * node);
      let right = boxLow(2u * node + 1u);
      let wantsLeft = mayHold(2u * node, left, threshold, worstRow);
      let wantsRight = mayHold(2u * node + 1u, right, threshold, worstRow);
      if (wantsLeft || wantsRight) {
        node = 2u * node + u32(!wantsLeft || (wantsRight && right < left));
        pending = 2u * pending + u32(wantsLeft && wantsRight);
        continue;
      }
    } else if (mayHold(node, boxLow(node), threshold, worstRow)) {
      spent += visit(node - params.first, query);
    }
    if (pending == 0u) {
      node = 0u;
      break;
    }
    let up = countTrailingZeros(pending);
    node = (node >> up) ^ 1u;
    pending = (pending >> up) ^ 1u;
  }
  atomicStore(&scratch[place], node);
  atomicStore(&scratch[place + 1u], pending);
  if (node != 0u) {
    let to = atomicAdd(&scratch[params.round + 1u], 1u);
    atomicStore(&scratch[WORDS + ((params.round + 1u) & 1u) * params.queryRows + to], query);
  } else if (ROOT == 1u || RADIUS == 1u) {
    for (var i = 0u; i < params.k; i++) {
      distances[list + i] = distanceOf(distances[list + i], indices[list + i]);
    }
  }
}

// Offers a query every point of a leaf. @returns how many there are
fn visit(leaf: u32, query: u32) -> u32 {
  let span = leafSpan(leaf);
  for (var at = span.x; at < span.y; at++) {
    let point = points[at];
    let value = valueOf(own.xyz - bitcast<vec3f>(point.xyz));
    if (!isLeftOut(query, point.w) && precedes(value, point.w, threshold, worstRow)) {
      insert(value, point.w);
    }
  }
  return span.y - span.x;
}

fn insert(value: f32, row: u32) {
  var at = params.k - 1u;
  while (at > 0u && precedes(value, row, distances[list + at - 1u], indices[list + at - 1u])) {
    put(at, distances[list + at - 1u], indices[list + at - 1u]);
    at -= 1u;
  }
  put(at, value, row);
  lookAtLast();
}

fn put(at: u32, value: f32, row: u32) {
  distances[list + at] = value;
  indices[list + at] = row;
}

fn lookAtLast() {
  threshold = distances[list + params.k - 1u];
  worstRow = indices[list + params.k - 1u];
}

fn precedes(value: f32, row: u32, other: f32, otherRow: u32) -> bool {
  return value < other || (value == other && row < otherRow);
}
