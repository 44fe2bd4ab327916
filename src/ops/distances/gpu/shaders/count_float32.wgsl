// This snippet of distances_count counts values as they are, sixteen of a lane at a time. Sixteen that share
// a bin are added at once, so that lanes wait little for each other. Globals: THREADS, SELF; params; values
// (vectors); slotOf, add.

fn countPart(lane: u32, query: u32, begin: u32, end: u32) {
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
    let p = slotsOf(a);
    let q = slotsOf(b);
    let r = slotsOf(c);
    let s = slotsOf(d);
    let other = (p ^ p.yzwx) | (p ^ q) | (p ^ r) | (p ^ s);
    if ((other.x | other.y | other.z | other.w) == 0u) {
      add(p.x, 16u);
    } else {
      addFour(p);
      addFour(q);
      addFour(r);
      addFour(s);
    }
  }
  for (; at < whole; at += THREADS) {
    addFour(slotsOf(values[first + at]));
  }
  let last = 4u * whole + lane;
  if (last < end) {
    add(slotOf(values[first + whole][lane]), 1u);
  }
  // The row itself was counted with the others.
  if (own >= begin && own < end && lane == 0u) {
    add(slotOf(values[first + own / 4u][own % 4u]), 0xffffffffu);
  }
}

fn slotsOf(four: vec4f) -> vec4u {
  return vec4u(slotOf(four.x), slotOf(four.y), slotOf(four.z), slotOf(four.w));
}

fn addFour(slots: vec4u) {
  add(slots.x, 1u);
  add(slots.y, 1u);
  add(slots.z, 1u);
  add(slots.w, 1u);
}
