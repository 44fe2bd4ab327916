// This snippet loads the keys of a tile from the input (0), from scratch (1) or from the output (2). Loads
// lie outside of the choice and of any condition, so that all are on their way at once. Globals: ITEMS; Key
// (sort_key_*); TILE, placeOf (sort_tile); params (begin, count); keys, scratchKeys, sortedKeys.

fn validOf(tile: u32) -> u32 {
  return min(TILE, params.count - tile * TILE);
}

fn loadKeys(source: u32, tile: u32, thread: u32, held: ptr<function, array<Key, ITEMS>>) {
  let first = params.begin + tile * TILE;
  let last = validOf(tile) - 1u;
  switch (source) {
    case 0u: {
      for (var i = 0u; i < ITEMS; i++) {
        (*held)[i] = keys[first + min(placeOf(thread, i), last)];
      }
    }
    case 1u: {
      for (var i = 0u; i < ITEMS; i++) {
        (*held)[i] = scratchKeys[first + min(placeOf(thread, i), last)];
      }
    }
    default: {
      for (var i = 0u; i < ITEMS; i++) {
        (*held)[i] = sortedKeys[first + min(placeOf(thread, i), last)];
      }
    }
  }
}
