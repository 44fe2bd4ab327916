// This snippet of distances_count counts the pairs whose interval is in one bin. Guesses take sixteen pairs
// of a lane at a time; the pairs that these leave follow one by one, so that what has loops stands in the
// shader once. A pair whose ends are in two bins waits in device memory for distances_settle: words there say
// how many pairs of each query wait, then comes the room for each query. Where more wait, that kernel finds
// them again.
//
// GROUP references next to each other share the largest product and margin of their metas, so that a lane
// reads few.
//
// Globals: THREADS, SELF, GROUP; params; values, refGroups (vectors), queryMeta, waiting; guessOf,
// slotOf, isGuided (slots); add, thresholdAt; halvesOf, intervalOf (distance_interval).

// These stand for a slot: the pair is open; there is no pair.
const OPEN = 0xfffffffeu;
const NONE = 0xffffffffu;

var<private> mine: vec4f;

fn countPart(lane: u32, query: u32, begin: u32, end: u32) {
  mine = queryMeta[query];
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

// Returns the slots of four pairs that are certain to be in the bin that their value was guessed to be in;
// OPEN for others, and NONE for those past the end and for a row itself.
fn slotsOf(first: u32, at: u32, own: u32, end: u32) -> vec4u {
  let place = vec4u(4u * at) + vec4u(0u, 1u, 2u, 3u);
  if (place.x >= end) {
    return vec4u(NONE);
  }
  let four = values[first + at];
  let group = refGroups[(params.refBegin + 4u * at) / GROUP];
  let halves = halvesOf(four, mine, vec4f(group.x), vec4f(group.y));
  // These are the keys of numbers that are not negative.
  let low = bitcast<vec4u>(max(four - halves, vec4f())) | vec4u(0x80000000u);
  let high = bitcast<vec4u>(max(four + halves, vec4f())) | vec4u(0x80000000u);
  let slots = vec4u(
    guessedSlot(four.x, low.x, high.x),
    guessedSlot(four.y, low.y, high.y),
    guessedSlot(four.z, low.z, high.z),
    guessedSlot(four.w, low.w, high.w),
  );
  return select(vec4u(NONE), slots, (place < vec4u(end)) & (place != vec4u(own)));
}

fn guessedSlot(value: f32, low: u32, high: u32) -> u32 {
  if (isGuided) {
    let slot = guessOf(value);
    if (slot > 0u && slot <= params.bins && thresholdAt(slot - 1u) <= low && high < thresholdAt(slot)) {
      return slot;
    }
  }
  return OPEN;
}

// Adds the slots that are certain, and returns a bit for each that is open.
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

// Adds a pair that no guess has settled, or lets it wait.
fn addSlowly(value: f32, query: u32, at: u32) {
  let group = refGroups[(params.refBegin + at) / GROUP];
  let ends = intervalOf(value, mine, vec4f(0.0, group, 0.0));
  let slot = slotOf(max(ends.x, 0.0));
  if (slot > params.bins || keyOfBits(bitcast<u32>(max(ends.y, 0.0))) < thresholdAt(slot)) {
    add(slot, 1u);
    return;
  }
  let place = atomicAdd(&waiting[query], 1u);
  if (place < params.room) {
    atomicStore(&waiting[params.queryRows + query * params.room + place], at);
  }
}
