// This snippet has the places of a tile's digits from the passes before.
// Globals: params (tiles); scratch; sort_state.

var<workgroup> lost: atomic<u32>;

fn takeTile(group: u32) -> u32 {
  return group;
}

fn nextTile(tile: u32, step: u32) -> u32 {
  return tile + step;
}

fn leaveCount(tile: u32, digit: u32, count: u32, odd: u32) {}

fn baseOf(tile: u32, digit: u32, count: u32, odd: u32) -> u32 {
  return atomicLoad(&scratch[TILES + digit * params.tiles + tile]);
}
