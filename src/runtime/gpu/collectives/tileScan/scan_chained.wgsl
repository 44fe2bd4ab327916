// This kernel is a scan in one pass. Workgroups take tiles in ascending order, so that whoever waits, waits
// for a tile that has begun. A tile publishes its total; then it reads the totals of all tiles before it in
// its group, one lane each, and what comes before the group, which the last tile of the group before
// publishes. So sums associate the same way whoever is first.
//
// A workgroup begins its next tile before it ends the one in hand: what it then waits for was published long
// ago, and meanwhile the memory is busy. Only the last tile of a group, for which all others wait, ends at
// once.
//
// Atomics order nothing but themselves: a value goes as two halves, each in a word with a mark of its own. A
// wait that lasts too long raises GAVE_UP, after which nobody waits any more, and scan_recompute does the
// work again.
// Globals: THREADS (= GROUP_TILES), params.tiles, params.initial, params.patience, scratch; scan_begin,
// storeTile (scan_store or the caller's own), scan_state, scan_halves.

const POLLS_BETWEEN_FLAGS: u32 = 64u;

var<workgroup> ticket: u32;
var<workgroup> groupsBefore: Value;
var<workgroup> tilesBefore: Value;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) thread: u32) {
  var tile = takeTicket(thread);
  if (tile >= params.tiles) {
    return;
  }
  var begun = beginTile(tile, thread);
  publishTotal(tile, thread, begun.total);
  while (tile < params.tiles) {
    let endsGroup = tile % GROUP_TILES == GROUP_TILES - 1u;
    if (endsGroup) {
      lookBack(tile, thread, begun.total);
    }
    let next = takeTicket(thread);
    var coming = beginTile(next, thread);
    publishTotal(next, thread, coming.total);
    if (!endsGroup) {
      lookBack(tile, thread, begun.total);
    }
    storeTile(tile, thread, &begun, combine(groupsBefore, tilesBefore));
    tile = next;
    begun = coming;
  }
}

// It opens with a barrier, after which what lanes did with the tile before has happened.
fn takeTicket(thread: u32) -> u32 {
  workgroupBarrier();
  if (thread == 0u) {
    ticket = atomicAdd(&scratch[TICKET], 1u);
  }
  return workgroupUniformLoad(&ticket);
}

fn publishTotal(tile: u32, thread: u32, total: Value) {
  if (thread == LAST && tile < params.tiles) {
    publish(tile, total);
  }
}

// It sets groupsBefore and tilesBefore. The last lane has no tile before it to read: it reads the group
// before.
fn lookBack(tile: u32, thread: u32, total: Value) {
  let group = tile / GROUP_TILES;
  var seen = identity();
  if (thread < tile % GROUP_TILES) {
    seen = waitFor(group * GROUP_TILES + thread);
  } else if (thread == LAST) {
    seen = valueOfWord(params.initial);
    if (group > 0u) {
      seen = waitFor(params.tiles + group - 1u);
    }
  }
  let before = scanLanes(thread, seen);
  if (thread == LAST) {
    groupsBefore = seen;
    tilesBefore = before;
    if (tile % GROUP_TILES == GROUP_TILES - 1u || tile == params.tiles - 1u) {
      let through = combine(seen, combine(before, total));
      publish(params.tiles + group, through);
      if (tile == params.tiles - 1u) {
        atomicStore(&scratch[TOTAL], wordOf(through));
      }
    }
  }
  workgroupBarrier();
}

fn waitFor(state: u32) -> Value {
  for (var polls = 0u; polls < params.patience; polls++) {
    let low = atomicLoad(&scratch[STATES + 2u * state]);
    let high = atomicLoad(&scratch[STATES + 2u * state + 1u]);
    if (isLeft(low, high)) {
      return valueOfHalves(low, high);
    }
    if (polls % POLLS_BETWEEN_FLAGS == POLLS_BETWEEN_FLAGS - 1u && atomicLoad(&scratch[GAVE_UP]) != 0u) {
      return identity();
    }
  }
  atomicStore(&scratch[GAVE_UP], 1u);
  return identity();
}

fn publish(state: u32, value: Value) {
  let word = wordOf(value);
  atomicStore(&scratch[STATES + 2u * state], lowHalf(word));
  atomicStore(&scratch[STATES + 2u * state + 1u], highHalf(word));
}
