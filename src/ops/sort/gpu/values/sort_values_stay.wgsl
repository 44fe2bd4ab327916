// This snippet is for tiles whose keys carry nothing.
// Globals: ITEMS.

fn moveValues(
  route: u32,
  before: u32,
  valid: u32,
  thread: u32,
  places: ptr<function, array<u32, ITEMS>>,
  targets: ptr<function, array<u32, ITEMS>>,
) {}
