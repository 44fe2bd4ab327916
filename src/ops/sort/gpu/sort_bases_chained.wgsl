// This snippet finds the places of a tile's digits in the same pass. Workgroups take tiles in ascending
// order, so that whoever waits, waits for a tile that has begun. A tile leaves how many keys of each digit it
// has; then it looks back, a lane for each digit, at LOOK tiles at a time, until one has left how many keys
// there are through it, and leaves that itself. Count and mark are one word, since atomics order nothing but
// themselves. Marks of the digit before mean that nothing was left yet, so that nobody need clear them.
//
// A wait that lasts too long raises GAVE_UP, after which nobody waits or writes any more, and the same kernel
// runs once more, to recompute (params.again): then all counts are there. Globals: LOOK; params (tiles,
// number, patience, again); scratch; sort_state.

const LOOKS_BETWEEN_FLAGS: u32 = 64u;
const COUNT_BITS: u32 = 0x3fffffffu;

var<workgroup> lost: atomic<u32>;

fn takeTile(group: u32) -> u32 {
  if (params.again == 1u) {
    return select(params.tiles, group, atomicLoad(&scratch[GAVE_UP + params.number]) != 0u);
  }
  return atomicAdd(&scratch[TICKETS + params.number], 1u);
}

// A workgroup may take its next tile before the one in hand is done: who waits, waits for tiles before it.
fn nextTile(tile: u32, step: u32) -> u32 {
  if (params.again == 1u) {
    return tile + step;
  }
  return atomicAdd(&scratch[TICKETS + params.number], 1u);
}

// Marks are 0, 1, 2 for nothing, the tile's own count and the count through it; of odd digits 2, 3, 0.
fn marked(kind: u32, odd: u32, count: u32) -> u32 {
  return (((kind + 2u * odd) & 3u) << 30u) | count;
}

fn leaveCount(tile: u32, digit: u32, count: u32, odd: u32) {
  if (params.again == 0u) {
    atomicStore(&scratch[TILES + tile * 256u + digit], marked(1u, odd, count));
  }
}

fn baseOf(tile: u32, digit: u32, count: u32, odd: u32) -> u32 {
  var before = 0u;
  var at = tile;
  var isFound = false;
  while (at > 0u && !isFound) {
    var seen: array<u32, LOOK>;
    for (var i = 0u; i < LOOK; i++) {
      seen[i] = atomicLoad(&scratch[TILES + (max(at, i + 1u) - i - 1u) * 256u + digit]);
    }
    for (var i = 0u; i < LOOK; i++) {
      if (at > 0u && !isFound) {
        at--;
        var left = seen[i];
        if (kindOf(left, odd) == 0u) {
          left = look(TILES + at * 256u + digit, odd);
        }
        let kind = kindOf(left, odd);
        if (kind == 0u) {
          atomicStore(&lost, 1u);
          return 0u;
        }
        before += left & COUNT_BITS;
        isFound = kind == 2u;
      }
    }
  }
  if (!isFound) {
    before += atomicLoad(&scratch[COUNTS + params.number * 256u + digit]);
  }
  atomicStore(&scratch[TILES + tile * 256u + digit], marked(2u, odd, before + count));
  return before;
}

fn kindOf(left: u32, odd: u32) -> u32 {
  return ((left >> 30u) - 2u * odd) & 3u;
}

// It gives what a tile has left, or nothing when it takes too long.
fn look(word: u32, odd: u32) -> u32 {
  for (var looks = 0u; looks < params.patience; looks++) {
    let left = atomicLoad(&scratch[word]);
    if ((left >> 30u) != 2u * odd) {
      return left;
    }
    if (looks % LOOKS_BETWEEN_FLAGS == LOOKS_BETWEEN_FLAGS - 1u && atomicLoad(&scratch[GAVE_UP + params.number]) != 0u) {
      return left;
    }
  }
  atomicStore(&scratch[GAVE_UP + params.number], 1u);
  return (2u * odd) << 30u;
}
