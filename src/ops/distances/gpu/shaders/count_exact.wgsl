// This snippet of distances_count counts the pairs whose interval is in one bin. A pair whose ends are in two
// bins waits in device memory for distances_settle: words there say how many pairs of each query wait, then
// comes the room for each query. Where more wait, that kernel finds them again.
//
// GROUP references next to each other share the largest product and margin of their metas, so that a lane
// reads few.
//
// Globals: GROUP, ROOT; params; refGroups, queryMeta, waiting; OPEN, scale, guard, slotsWithin, slotOf
// (slots); add, thresholdAt; halvesOf, intervalOf (distance_interval).

var<private> mine: vec4f;

fn beginQuery(query: u32) {
  mine = queryMeta[query];
}

// The root of a rank within half of v, at most h away from v, is at most 0.586 h / root of v away from that.
fn sureSlots(four: vec4f, at: u32) -> vec4u {
  let group = refGroups[(params.refBegin + 4u * at) / GROUP];
  let halves = halvesOf(four, mine, vec4f(group.x), vec4f(group.y));
  if (!ROOT) {
    return slotsWithin(four, fma(1.01 * halves, vec4f(scale), vec4f(guard)));
  }
  let inverse = inverseSqrt(max(four, vec4f(0x1p-100)));
  let slots = slotsWithin(four * inverse, fma(0.6 * halves * inverse, vec4f(scale), vec4f(guard)));
  let isFar = (halves <= 0.5 * four) & (four >= vec4f(0x1p-100));
  return select(vec4u(OPEN), slots, isFar | vec4<bool>(guard < 0.0));
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
