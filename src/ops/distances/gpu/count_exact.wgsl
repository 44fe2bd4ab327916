// This snippet of distances_count counts pairs whose interval is in one bin, sixteen of a lane at a time. A
// pair whose ends are in two bins waits in device memory for distances_settle: first so many words that say
// how many pairs of each query wait, then so much room for each. Where there are more, that kernel finds
// them again.
//
// GROUP references next to each other share the largest product and margin of their metas, so that few are
// read.
//
// Globals: THREADS, SELF, GROUP; params; values, refGroups (vectors), queryMeta, waiting; slotOf, add,
// thresholdAt; halvesOf (distance_interval).

// The slot of a pair that waits.
const OPEN = 0xffffffffu;

var<private> mine: vec4f;

fn countPart(lane: u32, query: u32, begin: u32, end: u32) {
  mine = queryMeta[query];
  let first = (query * params.pitch + params.column) / 4u;
  let own = select(0xffffffffu, params.ownRow + query - params.refBegin, SELF);
  // Parts begin at multiples of four.
  let whole = end / 4u;
  var at = begin / 4u + lane;
  for (; at + 3u * THREADS < whole; at += 4u * THREADS) {
    let a = values[first + at];
    let b = values[first + at + THREADS];
    let c = values[first + at + 2u * THREADS];
    let d = values[first + at + 3u * THREADS];
    let p = slotsOf(a, at);
    let q = slotsOf(b, at + THREADS);
    let r = slotsOf(c, at + 2u * THREADS);
    let s = slotsOf(d, at + 3u * THREADS);
    let other = (p ^ p.yzwx) | (p ^ q) | (p ^ r) | (p ^ s);
    if ((other.x | other.y | other.z | other.w) == 0u && p.x != OPEN) {
      add(p.x, 16u);
    } else {
      addFour(p, query, own, at);
      addFour(q, query, own, at + THREADS);
      addFour(r, query, own, at + 2u * THREADS);
      addFour(s, query, own, at + 3u * THREADS);
    }
  }
  for (; at < whole; at += THREADS) {
    addFour(slotsOf(values[first + at], at), query, own, at);
  }
  let last = 4u * whole + lane;
  if (last < end) {
    addOne(slotsOf(values[first + whole], whole)[lane], query, own, last);
  }
  // The row itself was counted with the others, unless it was open.
  if (own >= begin && own < end && lane == 0u) {
    let slot = slotsOf(values[first + own / 4u], own / 4u)[own % 4u];
    if (slot != OPEN) {
      add(slot, 0xffffffffu);
    }
  }
}

fn slotsOf(four: vec4f, at: u32) -> vec4u {
  let group = refGroups[(params.refBegin + 4u * at) / GROUP];
  let halves = halvesOf(four, mine, vec4f(group.x), vec4f(group.y));
  let low = max(four - halves, vec4f());
  let high = max(four + halves, vec4f());
  return vec4u(
    slotOfEnds(four.x, low.x, high.x),
    slotOfEnds(four.y, low.y, high.y),
    slotOfEnds(four.z, low.z, high.z),
    slotOfEnds(four.w, low.w, high.w),
  );
}

fn slotOfEnds(value: f32, low: f32, high: f32) -> u32 {
  // Keys of what is not negative.
  let ends = bitcast<vec2u>(vec2f(low, high)) | vec2u(0x80000000u);
  if (isGuided) {
    let slot = guessOf(value);
    if (slot > 0u && slot <= params.bins && thresholdAt(slot - 1u) <= ends.x && ends.y < thresholdAt(slot)) {
      return slot;
    }
  }
  let slot = slotOf(low);
  if (slot > params.bins || ends.y < thresholdAt(slot)) {
    return slot;
  }
  return OPEN;
}

fn addFour(slots: vec4u, query: u32, own: u32, at: u32) {
  addOne(slots.x, query, own, 4u * at);
  addOne(slots.y, query, own, 4u * at + 1u);
  addOne(slots.z, query, own, 4u * at + 2u);
  addOne(slots.w, query, own, 4u * at + 3u);
}

fn addOne(slot: u32, query: u32, own: u32, at: u32) {
  if (slot != OPEN) {
    add(slot, 1u);
  } else if (at != own) {
    let place = atomicAdd(&waiting[query], 1u);
    if (place < params.room) {
      atomicStore(&waiting[params.queryRows + query * params.room + place], at);
    }
  }
}
