// This snippet reads a tile and scans it, all but what comes before it.
// Globals: scan_tile; Tile, loadTile and vectorSums (scan_load or the caller's own).

struct Begun {
  tile: Tile,
  // The values that come before each of the lane's vectors within the tile.
  before: array<Value, VECTORS>,
  // The total of the tile, which the last lane knows.
  total: Value,
}

// Call it in uniform control flow, again only after a barrier.
fn beginTile(tile: u32, thread: u32) -> Begun {
  var held = loadTile(tile, thread);
  var begun: Begun;
  begun.total = scanTile(thread, vectorSums(&held));
  begun.tile = held;
  workgroupBarrier();
  for (var i = 0u; i < VECTORS; i++) {
    begun.before[i] = beforeVector(thread, i);
  }
  return begun;
}
