// This snippet finds the places of a tile's digits in the same pass. Workgroups take tiles in ascending
// order, so that whoever waits, waits for a tile that has begun. A tile leaves how many keys of each digit it
// has; then it looks back, a lane for each digit, from tile to tile until one has left how many keys there
// are through it, and leaves that itself. Count and mark are one word, since atomics order nothing but
// themselves. Marks of the digit before mean that nothing was left yet, so that nobody need clear them.
//
// A wait that lasts too long raises GAVE_UP, after which nobody waits or writes any more, and the same kernel
// runs once more, to recompute (params.again): then all counts are there. Globals: params (tiles, number,
// patience, again); scratch; sort_state.

const LOOKS_BETWEEN_FLAGS: u32 = 64u;
const COUNT_BITS: u32 = 0x3fffffffu;

var<workgroup> lost: atomic<u32>;

fn takeTile(group: u32) -> u32 {
  if (params.again == 1u) {
    return select(params.tiles, group, atomicLoad(&scratch[GAVE_UP + params.number]) != 0u);
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
  for (; at > 0u; at--) {
    let left = look(TILES + (at - 1u) * 256u + digit, odd);
    before += left & COUNT_BITS;
    let kind = ((left >> 30u) - 2u * odd) & 3u;
    if (kind == 2u) {
      break;
    }
    if (kind == 0u) {
      atomicStore(&lost, 1u);
      return 0u;
    }
  }
  if (at == 0u) {
    before += atomicLoad(&scratch[COUNTS + params.number * 256u + digit]);
  }
  atomicStore(&scratch[TILES + tile * 256u + digit], marked(2u, odd, before + count));
  return before;
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
