// scan in one pass. Workgroups take tiles in ascending order, so that whoever waits, waits for a tile that has begun. A tile
// leaves its total; then it looks at the totals of all tiles before it in its group, one lane each, and at what comes
// before the group, which the last tile of the group before leaves. So sums associate the same way whoever is first.
//
// Atomics order nothing but themselves: a value goes as two halves, each in a word with a mark of its own. A wait that lasts
// too long raises GAVE_UP, after which nobody waits any more and the passes that follow do the work again.
// Globals: THREADS (= GROUP_TILES), params.tiles, params.initial, params.patience, scratch; scan_tile, scan_store, scan_state,
// reduce_lanes.

const READY: u32 = 0x10000u;
const LOOKS_BETWEEN_FLAGS: u32 = 64u;

var<workgroup> ticket: u32;
var<workgroup> tilePrefix: Value;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) thread: u32) {
  if (thread == 0u) {
    ticket = atomicAdd(&scratch[TICKET], 1u);
  }
  let tile = workgroupUniformLoad(&ticket);
  if (tile >= params.tiles) {
    return;
  }
  let place = placeIn(tile, thread);
  let values = loadTile(place);
  let scanned = scanTile(place, values);
  if (thread == 0u) {
    leave(tile, scanned.total);
  }
  let group = tile / GROUP_TILES;
  let tileInGroup = tile % GROUP_TILES;
  var seen = identity();
  if (thread < tileInGroup) {
    seen = look(group * GROUP_TILES + thread);
  }
  let before = reduceLanes(thread, THREADS, seen);
  if (thread == 0u) {
    var groupsBefore = valueOfWord(params.initial);
    if (group > 0u) {
      groupsBefore = look(params.tiles + group - 1u);
    }
    if (tileInGroup == GROUP_TILES - 1u || tile == params.tiles - 1u) {
      let through = combine(groupsBefore, combine(before, scanned.total));
      leave(params.tiles + group, through);
      if (tile == params.tiles - 1u) {
        atomicStore(&scratch[TOTAL], wordOf(through));
      }
    }
    tilePrefix = combine(groupsBefore, before);
  }
  storeTile(place, values, scanned, workgroupUniformLoad(&tilePrefix));
}

fn leave(state: u32, value: Value) {
  let word = wordOf(value);
  atomicStore(&scratch[STATES + 2u * state], READY | (word & 0xffffu));
  atomicStore(&scratch[STATES + 2u * state + 1u], READY | (word >> 16u));
}

fn look(state: u32) -> Value {
  for (var looks = 0u; looks < params.patience; looks++) {
    let low = atomicLoad(&scratch[STATES + 2u * state]);
    let high = atomicLoad(&scratch[STATES + 2u * state + 1u]);
    if ((low & high & READY) != 0u) {
      return valueOfWord((low & 0xffffu) | (high << 16u));
    }
    if (looks % LOOKS_BETWEEN_FLAGS == LOOKS_BETWEEN_FLAGS - 1u && atomicLoad(&scratch[GAVE_UP]) != 0u) {
      return identity();
    }
  }
  atomicStore(&scratch[GAVE_UP], 1u);
  return identity();
}
