// A strip is a subgroup of any size. Lanes must follow each other (device/traits.ts looks whether they do).
// Globals: THREADS, Place (scan_tile), Value, combine4, identity (combine_*); subgroups.

const MOST_STRIPS: u32 = THREADS / 4u;

fn stripSize() -> u32 {
  let lanes = countOneBits(subgroupBallot(true));
  return lanes.x + lanes.y + lanes.z + lanes.w;
}

// Inclusive over the lanes of the strip, for each of four numbers.
fn stripScan(place: Place, sums: vec4<Value>) -> vec4<Value> {
  var scanned = sums;
  for (var step = 1u; step < place.size; step *= 2u) {
    let before = subgroupShuffleUp(scanned, step);
    if (place.lane >= step) {
      scanned = combine4(before, scanned);
    }
  }
  return scanned;
}

// What the lane before has; nothing in the first lane.
fn stripBefore(place: Place, scanned: vec4<Value>) -> vec4<Value> {
  return select(subgroupShuffleUp(scanned, 1u), vec4<Value>(identity()), place.lane == 0u);
}

fn stripLast(place: Place, scanned: vec4<Value>) -> vec4<Value> {
  return subgroupShuffle(scanned, place.size - 1u);
}
