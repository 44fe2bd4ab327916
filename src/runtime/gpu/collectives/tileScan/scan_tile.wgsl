// This snippet holds a tile of a scan in a workgroup: VECTORS vectors of four elements per lane, THREADS
// vectors apart, so that loads are contiguous. Sums of vectors change places in workgroup memory, so that a
// lane scans some that follow each other. Values come from and go to other snippets, such as scan_load and
// scan_store.
// Globals: THREADS, VECTORS, Value, combine, identity (combine_*), scanLanes (lanes_*).

const TILE_VECTORS: u32 = THREADS * VECTORS;
// The lane that knows the total of a tile.
const LAST: u32 = THREADS - 1u;

// Sums of vectors in their order, then what comes before each within the tile; then what storeTile likes.
var<workgroup> slab: array<Value, TILE_VECTORS + TILE_VECTORS / 32u>;

// One word in 33 is left out, so that lanes that are a power of two apart fall into different banks.
fn slot(at: u32) -> u32 {
  return at + at / 32u;
}

// It gives the tile's total, in the last lane; beforeVector gives prefixes. Call it in uniform control flow,
// again only after a barrier.
fn scanTile(thread: u32, sums: array<Value, VECTORS>) -> Value {
  for (var i = 0u; i < VECTORS; i++) {
    slab[slot(i * THREADS + thread)] = sums[i];
  }
  workgroupBarrier();
  var mine: array<Value, VECTORS>;
  var sum = identity();
  for (var i = 0u; i < VECTORS; i++) {
    mine[i] = slab[slot(thread * VECTORS + i)];
    sum = combine(sum, mine[i]);
  }
  let lanesBefore = scanLanes(thread, sum);
  var before = lanesBefore;
  for (var i = 0u; i < VECTORS; i++) {
    slab[slot(thread * VECTORS + i)] = before;
    before = combine(before, mine[i]);
  }
  return combine(lanesBefore, sum);
}

// It gives what comes before a lane's vector within the tile, after a barrier.
fn beforeVector(thread: u32, i: u32) -> Value {
  return slab[slot(i * THREADS + thread)];
}

fn sumOf(four: vec4<Value>) -> Value {
  return combine(combine(combine(four.x, four.y), four.z), four.w);
}
