// A strip is sixteen lanes, of which the first scans for all: where there are no subgroups.
// Globals: THREADS (a multiple of 16), Place (scan_tile), Value, combine4, identity (combine_*).

const STRIP: u32 = 16u;
const MOST_STRIPS: u32 = THREADS / STRIP;

var<workgroup> stripLanes: array<vec4<Value>, THREADS>;

fn stripSize() -> u32 {
  return STRIP;
}

// Inclusive over the lanes of the strip, for each of four numbers. Call it again only after a barrier.
fn stripScan(place: Place, sums: vec4<Value>) -> vec4<Value> {
  let first = place.strip * STRIP;
  stripLanes[first + place.lane] = sums;
  workgroupBarrier();
  if (place.lane == 0u) {
    var scanned = sums;
    for (var lane = 1u; lane < STRIP; lane++) {
      scanned = combine4(scanned, stripLanes[first + lane]);
      stripLanes[first + lane] = scanned;
    }
  }
  workgroupBarrier();
  return stripLanes[first + place.lane];
}

// What the lane before has; nothing in the first lane.
fn stripBefore(place: Place, scanned: vec4<Value>) -> vec4<Value> {
  let before = stripLanes[max(place.strip * STRIP + place.lane, 1u) - 1u];
  return select(before, vec4<Value>(identity()), place.lane == 0u);
}

fn stripLast(place: Place, scanned: vec4<Value>) -> vec4<Value> {
  return stripLanes[place.strip * STRIP + STRIP - 1u];
}
