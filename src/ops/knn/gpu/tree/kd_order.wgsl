// This pass of knn.tree and of knn.treeFilter puts runs of points into the order of a k-d tree, so that the
// boxes of its parts hardly overlap. A workgroup takes one run, sorts it along its longest side, then each
// half along its own, and so on down to parts. Sides are those of a few of the points, and places along them
// have as many bits as a word has beside the number of a point: any order is right. A part begins at the
// first of its slots, and those behind its last point are empty.
//
// Runs are sorted by the bitonic network. A lane takes eight slots whose numbers differ in three bits that
// follow each other, so that three steps of the network take one exchange through workgroup memory.
//
// Globals: THREADS (an eighth of RUN), RUN, PART (at least 16); params; beginRun, beginOf, itemAt,
// putItem (split_*).

const_assert RUN == 8u * THREADS;
const EMPTY: u32 = 0xffffffffu;
const PLACES: u32 = EMPTY / RUN;
const SAMPLE: u32 = 8u;

var<workgroup> run: array<vec4u, RUN>;
// A slot has the place of a point along a side, and its number in the run. Every eight are one word further
// on, so that lanes of a step use different banks.
var<workgroup> slots: array<u32, RUN + RUN / 8u>;

// This is the first slot of the run.
var<private> runSlot: u32;
// These are the slots that the lane has taken.
var<private> low: vec4u;
var<private> high: vec4u;

@each_workgroup(params.groups)
fn main(group: u32, lane: u32) {
  runSlot = group * RUN;
  beginRun(group);
  let begin = beginOf(runSlot);
  let count = countOf(0u, RUN);
  for (var i = lane; i < RUN; i += THREADS) {
    if (i < count) {
      run[i] = itemAt(begin + i);
    }
  }
  let own = 8u * lane;
  let numbers = vec4u(own) + vec4u(0u, 1u, 2u, 3u);
  low = select(vec4u(EMPTY), numbers, numbers < vec4u(count));
  high = select(vec4u(EMPTY), numbers + 4u, numbers + 4u < vec4u(count));
  putSlots(own, 0u);
  workgroupBarrier();
  for (var size = RUN; size > PART; size /= 2u) {
    place(own, size);
    sortOwn(lane);
    workgroupBarrier();
    putSlots(own, 0u);
    workgroupBarrier();
    for (var block = 16u; block <= size; block *= 2u) {
      // So many steps of the block are left. The first turn takes as many as leave a multiple of three.
      for (var left = firstTrailingBit(block); left > 0u;) {
        let steps = (left - 1u) % 3u + 1u;
        let bit = left - 3u;
        let first = ((lane >> bit) << left) | (lane & ((1u << bit) - 1u));
        let isUp = vec4(block == size || (first & block) == 0u);
        takeSlots(first, bit);
        stepFour(isUp);
        if (steps > 1u) {
          stepTwo(isUp);
        }
        if (steps > 2u) {
          stepOne(isUp);
        }
        putSlots(first, bit);
        workgroupBarrier();
        left -= steps;
      }
    }
    low = vec4u(halved(own, size), halved(own + 1u, size), halved(own + 2u, size), halved(own + 3u, size));
    high = vec4u(halved(own + 4u, size), halved(own + 5u, size), halved(own + 6u, size), halved(own + 7u, size));
    workgroupBarrier();
    putSlots(own, 0u);
    workgroupBarrier();
  }
  for (var i = lane; i < RUN; i += THREADS) {
    let slot = slotAt(i);
    if (slot != EMPTY) {
      putItem(beginOf(runSlot + i / PART * PART) + i % PART, run[slot % RUN]);
    }
  }
}

fn slotAt(slot: u32) -> u32 {
  return slots[slot + slot / 8u];
}

fn putSlot(slot: u32, value: u32) {
  slots[slot + slot / 8u] = value;
}

// Takes eight slots: the three bits of their numbers that differ begin with this one.
fn takeSlots(first: u32, bit: u32) {
  let apart = 1u << bit;
  low = vec4u(slotAt(first), slotAt(first + apart), slotAt(first + 2u * apart), slotAt(first + 3u * apart));
  let half = first + 4u * apart;
  high = vec4u(slotAt(half), slotAt(half + apart), slotAt(half + 2u * apart), slotAt(half + 3u * apart));
}

fn putSlots(first: u32, bit: u32) {
  let apart = 1u << bit;
  putSlot(first, low.x);
  putSlot(first + apart, low.y);
  putSlot(first + 2u * apart, low.z);
  putSlot(first + 3u * apart, low.w);
  let half = first + 4u * apart;
  putSlot(half, high.x);
  putSlot(half + apart, high.y);
  putSlot(half + 2u * apart, high.z);
  putSlot(half + 3u * apart, high.w);
}

// These put slots in order that are four, two and one of the eight apart.
fn stepFour(isUp: vec4<bool>) {
  let least = min(low, high);
  let largest = max(low, high);
  low = select(largest, least, isUp);
  high = select(least, largest, isUp);
}

fn stepTwo(isUp: vec4<bool>) {
  let first = vec4u(low.xy, high.xy);
  let second = vec4u(low.zw, high.zw);
  let before = select(max(first, second), min(first, second), isUp);
  let after = select(min(first, second), max(first, second), isUp);
  low = vec4u(before.xy, after.xy);
  high = vec4u(before.zw, after.zw);
}

fn stepOne(isUp: vec4<bool>) {
  let first = vec4u(low.xz, high.xz);
  let second = vec4u(low.yw, high.yw);
  let before = select(max(first, second), min(first, second), isUp);
  let after = select(min(first, second), max(first, second), isUp);
  low = vec4u(before.x, after.x, before.y, after.y);
  high = vec4u(before.z, after.z, before.w, after.w);
}

// Puts the eight slots of a lane, which follow each other, in an order that the next lane's continue.
fn sortOwn(lane: u32) {
  stepOne(vec4(true, false, true, false));
  let isUp = vec4(true, true, false, false);
  stepTwo(isUp);
  stepOne(isUp);
  let isEven = vec4(lane % 2u == 0u);
  stepFour(isEven);
  stepTwo(isEven);
  stepOne(isEven);
}

// Returns how many items lie in the `size` slots from `first` on.
fn countOf(first: u32, size: u32) -> u32 {
  return beginOf(runSlot + first + size) - beginOf(runSlot + first);
}

// Returns the item of a slot once the sorted items of a part fill both of its halves from their beginnings.
fn halved(slot: u32, size: u32) -> u32 {
  let half = size / 2u;
  let own = slot / half * half;
  let isEmpty = slot - own >= countOf(own, half);
  let first = slot / size * size;
  let before = select(countOf(first, half), 0u, own == first);
  return select(slotAt(min(first + before + slot - own, RUN - 1u)), EMPTY, isEmpty);
}

// Gives the lane's slots the places of their points along the side on which their part of the run is longest.
fn place(own: u32, size: u32) {
  let first = own / size * size;
  let count = countOf(first, size);
  if (count == 0u) {
    return;
  }
  var least = pointOf(slotAt(first));
  var largest = least;
  for (var i = 0u; i < SAMPLE; i++) {
    let point = pointOf(slotAt(first + ((2u * i + 1u) * count) / (2u * SAMPLE)));
    least = min(least, point);
    largest = max(largest, point);
  }
  let side = 0.5 * largest - 0.5 * least;
  var column = select(2u, 1u, side.y >= side.z);
  column = select(column, 0u, side.x >= side.y && side.x >= side.z);
  let scale = f32(PLACES - 1u) / max(side[column], 0x1p-100);
  let from = 0.5 * least[column];
  low = select(placesOf(low, column, from, scale), low, low == vec4u(EMPTY));
  high = select(placesOf(high, column, from, scale), high, high == vec4u(EMPTY));
}

fn placesOf(four: vec4u, column: u32, from: f32, scale: f32) -> vec4u {
  let along = vec4f(
    pointOf(four.x)[column],
    pointOf(four.y)[column],
    pointOf(four.z)[column],
    pointOf(four.w)[column]
  );
  let places = vec4u(clamp((0.5 * along - from) * scale, vec4f(), vec4f(f32(PLACES - 1u))));
  return places * RUN + four % RUN;
}

fn pointOf(slot: u32) -> vec3f {
  return bitcast<vec3f>(run[slot % RUN].xyz);
}
