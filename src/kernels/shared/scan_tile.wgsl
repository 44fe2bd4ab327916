// A tile of a scan in a workgroup: four vectors of four elements per lane. A strip of lanes reads four runs of vectors, one
// after the other, so that loads are contiguous; strips follow each other. Where values come from and go to is not here:
// scan_load and scan_store, compact_load and compact_store.
// Globals: THREADS, Value, combine, combine4, identity (combine_*), strip_*.

struct Place {
  lane: u32,
  size: u32,
  strip: u32,
  // Of the lane's first vector in the input; the others are `size` apart.
  first: u32,
}

struct Four {
  a: vec4<Value>,
  b: vec4<Value>,
  c: vec4<Value>,
  d: vec4<Value>,
}

struct Scanned {
  // What comes before each of the lane's four vectors within the tile.
  before: vec4<Value>,
  total: Value,
}

var<workgroup> stripTotals: array<Value, MOST_STRIPS>;

fn placeIn(tile: u32, thread: u32) -> Place {
  let size = stripSize();
  let lane = thread % size;
  let strip = thread / size;
  return Place(lane, size, strip, (tile * THREADS + strip * size) * 4u + lane);
}

// In uniform control flow.
fn scanTile(place: Place, values: Four) -> Scanned {
  let sums = vec4<Value>(sumOf(values.a), sumOf(values.b), sumOf(values.c), sumOf(values.d));
  let scanned = stripScan(place, sums);
  let lanesBefore = stripBefore(place, scanned);
  let runs = stripLast(place, scanned);
  let two = combine(runs.x, runs.y);
  let three = combine(two, runs.z);
  if (place.lane == 0u) {
    stripTotals[place.strip] = combine(three, runs.w);
  }
  workgroupBarrier();
  var stripsBefore = identity();
  var total = identity();
  for (var strip = 0u; strip < THREADS / place.size; strip++) {
    if (strip == place.strip) {
      stripsBefore = total;
    }
    total = combine(total, stripTotals[strip]);
  }
  let runsBefore = combine4(vec4<Value>(identity(), runs.x, two, three), lanesBefore);
  return Scanned(combine4(vec4<Value>(stripsBefore), runsBefore), total);
}

fn sumOf(four: vec4<Value>) -> Value {
  return combine(combine(combine(four.x, four.y), four.z), four.w);
}
