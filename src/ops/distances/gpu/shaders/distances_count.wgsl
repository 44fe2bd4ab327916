// The first pass of distances.count lets one workgroup count a part of one query's pairs by bins, in
// workgroup memory where the bins fit (LOCAL), and adds the counts to the result. A lane takes sixteen pairs
// at a time: those that share a slot are added at once, so that lanes wait little for each other, and those
// that are open follow one by one, so that what has loops stands in the shader once. A snippet says how a
// pair gets its bin: count_float32 or count_exact.
//
// Globals: THREADS, LOCAL, HOLDS (thresholds), HELD, HELD_SLOTS, COPIES, SELF; params; values (vectors),
// thresholds, counts; OPEN, takeQuery, row, placeOf (slots); beginQuery, sureSlots, addSlowly.

// This stands for a slot where there is no pair.
const NONE = 0xffffffffu;

var<workgroup> held: array<u32, HELD>;
var<workgroup> heldSlots: array<atomic<u32>, HELD_SLOTS * COPIES>;

var<private> copy: u32;
var<private> counted: u32;

@each_workgroup(params.groups)
fn main(number: u32, lane: u32) {
  let query = number / params.parts;
  let part = number % params.parts;
  takeQuery(query);
  counted = query * params.countWords;
  copy = lane % COPIES;
  if (HOLDS) {
    for (var i = lane; i <= params.bins; i += THREADS) {
      held[i] = thresholds[row + 4u + i];
    }
    workgroupBarrier();
  }
  beginQuery(query);
  countPart(lane, query, part * params.partRows, min(params.refRows, (part + 1u) * params.partRows));
  if (LOCAL) {
    workgroupBarrier();
    for (var slot = lane; slot < params.bins + 2u; slot += THREADS) {
      var sum = 0u;
      for (var i = 0u; i < COPIES; i++) {
        sum += atomicLoad(&heldSlots[slot * COPIES + i]);
      }
      if (sum > 0u) {
        atomicAdd(&counts[counted + placeOf(slot)], sum);
      }
    }
  }
}

fn countPart(lane: u32, query: u32, begin: u32, end: u32) {
  let first = (query * params.pitch + params.column) / 4u;
  let own = select(0xffffffffu, params.ownRow + query - params.refBegin, SELF);
  // Parts begin at multiples of four.
  for (var at = begin / 4u + lane; 4u * at < end; at += 4u * THREADS) {
    let p = slotsOf(first, at, own, end);
    let q = slotsOf(first, at + THREADS, own, end);
    let r = slotsOf(first, at + 2u * THREADS, own, end);
    let s = slotsOf(first, at + 3u * THREADS, own, end);
    let other = (p ^ p.yzwx) | (p ^ q) | (p ^ r) | (p ^ s);
    if ((other.x | other.y | other.z | other.w) == 0u && p.x < OPEN) {
      add(p.x, 16u);
    } else {
      // There is a bit for each pair that is left: four of each vector.
      var left = addFour(p) | (addFour(q) << 4u) | (addFour(r) << 8u) | (addFour(s) << 12u);
      while (left != 0u) {
        let bit = firstTrailingBit(left);
        left &= left - 1u;
        let vector = at + bit / 4u * THREADS;
        addSlowly(values[first + vector][bit % 4u], query, 4u * vector + bit % 4u);
      }
    }
  }
}

// Returns the slots of four pairs, OPEN of those that take a closer look, and NONE of those past the end and
// of a row itself.
fn slotsOf(first: u32, at: u32, own: u32, end: u32) -> vec4u {
  if (4u * at >= end) {
    return vec4u(NONE);
  }
  let slots = sureSlots(values[first + at], at);
  if (4u * at + 4u <= end && (!SELF || own / 4u != at)) {
    return slots;
  }
  let place = vec4u(4u * at) + vec4u(0u, 1u, 2u, 3u);
  return select(vec4u(NONE), slots, (place < vec4u(end)) & (place != vec4u(own)));
}

// Adds the slots that are sure, and returns a bit for each that is open.
fn addFour(slots: vec4u) -> u32 {
  addOne(slots.x);
  addOne(slots.y);
  addOne(slots.z);
  addOne(slots.w);
  return dot(select(vec4u(), vec4u(1u, 2u, 4u, 8u), slots == vec4u(OPEN)), vec4u(1u));
}

fn addOne(slot: u32) {
  if (slot < OPEN) {
    add(slot, 1u);
  }
}

fn add(slot: u32, times: u32) {
  if (LOCAL) {
    atomicAdd(&heldSlots[slot * COPIES + copy], times);
  } else {
    atomicAdd(&counts[counted + placeOf(slot)], times);
  }
}

fn thresholdAt(i: u32) -> u32 {
  if (HOLDS) {
    return held[i];
  }
  return thresholds[row + 4u + i];
}
