// This pass of knn.tree and of knn.treeFilter puts runs of points into the order of a k-d tree, so that the
// boxes of its parts hardly overlap. A workgroup takes one run, sorts it along its longest side, then each
// half along its own, and so on down to parts. Sides are those of a few of the points, and places along them
// have as many bits as a word has beside the number of a point: any order is right. A part begins at the
// first of its slots, and those behind its last point are empty.
//
// Globals: THREADS (half of RUN), RUN, PART; params; beginOf, itemAt, putItem (split_*).

const EMPTY: u32 = 0xffffffffu;
const PLACES: u32 = EMPTY / RUN;
const SAMPLE: u32 = 8u;

var<workgroup> run: array<vec4u, RUN>;
// A slot has the place of a point along a side, and its number in the run.
var<workgroup> slots: array<u32, RUN>;

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
    slots[i] = select(EMPTY, i, i < count);
  }
  workgroupBarrier();
  for (var size = RUN; size > PART; size /= 2u) {
    let pair = placed(2u * lane, size);
    workgroupBarrier();
    slots[2u * lane] = pair.x;
    slots[2u * lane + 1u] = pair.y;
    workgroupBarrier();
    for (var block = 2u; block <= size; block *= 2u) {
      for (var apart = block / 2u; apart > 0u; apart /= 2u) {
        let i = 2u * lane - (lane & (apart - 1u));
        let isUp = block == size || (i & block) == 0u;
        let first = slots[i];
        let second = slots[i + apart];
        if ((first < second) != isUp) {
          slots[i] = second;
          slots[i + apart] = first;
        }
        workgroupBarrier();
      }
    }
    let halves = vec2u(halved(lane, size), halved(lane + THREADS, size));
    workgroupBarrier();
    slots[lane] = halves.x;
    slots[lane + THREADS] = halves.y;
    workgroupBarrier();
  }
  for (var i = lane; i < RUN; i += THREADS) {
    if (slots[i] != EMPTY) {
      putItem(beginOf(runBegin + i / PART * PART) + i % PART, run[slots[i] % RUN]);
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
  return select(slots[min(first + before + slot - own, RUN - 1u)], EMPTY, isEmpty);
}

// Returns two slots with their items' places along the side on which their part of the run is longest.
fn placed(slot: u32, size: u32) -> vec2u {
  let pair = vec2u(slots[slot], slots[slot + 1u]);
  if (pair.x == EMPTY) {
    return pair;
  }
  let first = slot / size * size;
  let count = countOf(first, size);
  var least = pointOf(slots[first]);
  var largest = least;
  for (var i = 0u; i < SAMPLE; i++) {
    let point = pointOf(slots[first + ((2u * i + 1u) * count) / (2u * SAMPLE)]);
    least = min(least, point);
    largest = max(largest, point);
  }
  let side = 0.5 * largest - 0.5 * least;
  var column = select(2u, 1u, side.y >= side.z);
  column = select(column, 0u, side.x >= side.y && side.x >= side.z);
  let scale = f32(PLACES - 1u) / max(side[column], 0x1p-100);
  let from = 0.5 * least[column];
  let x = u32(clamp((0.5 * pointOf(pair.x)[column] - from) * scale, 0.0, f32(PLACES - 1u)));
  let y = u32(clamp((0.5 * pointOf(pair.y)[column] - from) * scale, 0.0, f32(PLACES - 1u)));
  return vec2u(x * RUN + pair.x % RUN, select(y * RUN + pair.y % RUN, EMPTY, pair.y == EMPTY));
}

fn pointOf(slot: u32) -> vec3f {
  return bitcast<vec3f>(run[slot % RUN].xyz);
}
