// This pass of knn.tree and of knn.treeFilter puts runs of points into the order of a k-d tree, so that the
// boxes of its parts hardly overlap. A workgroup takes one run, sorts it along its longest side, then each
// half along its own, and so on down to parts. The longest side is that of a few of the points: any order is
// right. A part begins at the first of its slots, and those behind its last point are empty.
//
// Globals: THREADS (half of RUN), RUN, PART; params; keyOfBits; beginOf, itemAt, putItem (split_*).

const EMPTY: u32 = 0xffffffffu;
const SAMPLE: u32 = 8u;

var<workgroup> run: array<vec4u, RUN>;
var<workgroup> keys: array<u32, RUN>;
var<workgroup> order: array<u32, RUN>;

// This is the first slot of the run.
var<private> runBegin: u32;

@each_workgroup(params.groups)
fn main(group: u32, lane: u32) {
  runBegin = group * RUN;
  let begin = beginOf(runBegin);
  let count = countOf(0u, RUN);
  for (var i = lane; i < RUN; i += THREADS) {
    if (i < count) {
      run[i] = itemAt(begin + i);
    }
    order[i] = select(EMPTY, i, i < count);
  }
  workgroupBarrier();
  for (var size = RUN; size > PART; size /= 2u) {
    for (var i = lane; i < RUN; i += THREADS) {
      let item = order[i];
      keys[i] = EMPTY;
      if (item != EMPTY) {
        keys[i] = keyOfBits(run[item][longestSide(i / size * size, size)]);
      }
    }
    workgroupBarrier();
    for (var block = 2u; block <= size; block *= 2u) {
      for (var apart = block / 2u; apart > 0u; apart /= 2u) {
        let i = 2u * lane - (lane & (apart - 1u));
        let other = i + apart;
        let isUp = block == size || (i & block) == 0u;
        let key = keys[i];
        let otherKey = keys[other];
        let isBefore = key < otherKey;
        if (key != otherKey && isBefore != isUp) {
          keys[i] = otherKey;
          keys[other] = key;
          let item = order[i];
          order[i] = order[other];
          order[other] = item;
        }
        workgroupBarrier();
      }
    }
    let halves = vec2u(halved(lane, size), halved(lane + THREADS, size));
    workgroupBarrier();
    order[lane] = halves.x;
    order[lane + THREADS] = halves.y;
    workgroupBarrier();
  }
  for (var i = lane; i < RUN; i += THREADS) {
    if (order[i] != EMPTY) {
      putItem(beginOf(runBegin + i / PART * PART) + i % PART, run[order[i]]);
    }
  }
}

// Returns how many items lie in the `size` slots from `first` on.
fn countOf(first: u32, size: u32) -> u32 {
  return beginOf(runBegin + first + size) - beginOf(runBegin + first);
}

// Returns the item of a slot once the sorted items of a part fill both of its halves from their beginnings.
fn halved(slot: u32, size: u32) -> u32 {
  let half = size / 2u;
  let own = slot / half * half;
  let isEmpty = slot - own >= countOf(own, half);
  let first = slot / size * size;
  let before = select(countOf(first, half), 0u, own == first);
  return select(order[min(first + before + slot - own, RUN - 1u)], EMPTY, isEmpty);
}

// Returns the column along which a part of the run, which has items, is longest.
fn longestSide(first: u32, size: u32) -> u32 {
  let count = countOf(first, size);
  var least = bitcast<vec3f>(run[order[first]].xyz);
  var largest = least;
  for (var i = 0u; i < SAMPLE; i++) {
    let point = bitcast<vec3f>(run[order[first + ((2u * i + 1u) * count) / (2u * SAMPLE)]].xyz);
    least = min(least, point);
    largest = max(largest, point);
  }
  let side = 0.5 * largest - 0.5 * least;
  if (side.x >= side.y && side.x >= side.z) {
    return 0u;
  }
  return select(2u, 1u, side.y >= side.z);
}
