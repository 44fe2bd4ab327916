// This kernel moves the keys of tiles to their places by one digit, with what they carry. A tile is first
// ordered in workgroup memory, so that the keys of each digit are written side by side. Globals: THREADS,
// ITEMS, VALUES; params (begin, count, tiles, number, word, shift, mask); takeTile, leaveCount, baseOf and
// lost (sort_bases_*); keyAt and putKey (sort_keys); fetchValue and putValue (sort_values_*); scratch;
// sort_tile, sort_state.

// A number that no place has, for a digit whose place nobody found.
const NOWHERE: u32 = 0xffff0000u;

var<workgroup> route: u32;
var<workgroup> taken: u32;
// Added to a key's place in the ordered tile, it gives the place in all keys.
var<workgroup> bases: array<u32, 256>;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  if (thread == 0u) {
    route = atomicLoad(&scratch[ROUTES + params.number]);
    if (route != 0u) {
      taken = takeTile(linearGroup(group, groups));
    }
  }
  let way = workgroupUniformLoad(&route);
  if (way == 0u) {
    return;
  }
  let step = groups.x * groups.y * groups.z;
  let first = workgroupUniformLoad(&taken);
  for (var tile = first; tile < params.tiles; tile += step) {
    if (tile != first) {
      clearSlab(thread);
    }
    moveTile(tile, thread, way);
  }
}

fn moveTile(tile: u32, thread: u32, way: u32) {
  let digit = Digit(params.word, params.shift, params.mask);
  let before = tile * TILE;
  let valid = min(TILE, params.count - before);
  var held: array<Key, ITEMS>;
  for (var i = 0u; i < ITEMS; i++) {
    let place = placeOf(thread, i);
    if (place < valid) {
      held[i] = keyAt(sourceOf(way), before + place);
    }
  }
  let ranks = rankTile(thread, &held, valid, digit);
  var counts = countTile(thread);
  if (thread * OWN < 256u) {
    for (var i = 0u; i < OWN; i++) {
      leaveCount(tile, thread * OWN + i, countOf(counts[i], thread * OWN + i, valid), isOdd(way));
    }
  }
  let places = orderTile(thread, counts, ranks);
  for (var i = 0u; i < ITEMS; i++) {
    leaveWord(places[i], wordOfKey(held[i], 0u));
  }
  if (thread * OWN < 256u) {
    for (var i = 0u; i < OWN; i++) {
      let own = thread * OWN + i;
      bases[own] = baseOf(tile, own, countOf(counts[i], own, valid), isOdd(way)) - starts[own];
    }
  }
  workgroupBarrier();
  for (var i = 0u; i < ITEMS; i++) {
    held[i] = withWord(held[i], 0u, takeWord(i * THREADS + thread));
  }
  if (KEY_WORDS == 2u) {
    workgroupBarrier();
    for (var i = 0u; i < ITEMS; i++) {
      leaveWord(places[i], wordOfKey(held[i], 1u));
    }
    workgroupBarrier();
    for (var i = 0u; i < ITEMS; i++) {
      held[i] = withWord(held[i], 1u, takeWord(i * THREADS + thread));
    }
  }
  let isLost = atomicLoad(&lost) != 0u;
  var targets: array<u32, ITEMS>;
  for (var i = 0u; i < ITEMS; i++) {
    let place = i * THREADS + thread;
    targets[i] = bases[digitOf(held[i], digit)] + place;
    if (place >= valid || isLost) {
      targets[i] = NOWHERE;
    } else {
      putKey(sinkOf(way), targets[i], held[i]);
    }
  }
  if (VALUES > 0u) {
    workgroupBarrier();
    for (var i = 0u; i < ITEMS; i++) {
      let place = placeOf(thread, i);
      if (place < valid) {
        leaveWord(places[i], fetchValue(sourceOf(way), params.begin, before + place));
      }
    }
    workgroupBarrier();
    for (var i = 0u; i < ITEMS; i++) {
      if (targets[i] != NOWHERE) {
        putValue(sinkOf(way), params.begin + targets[i], takeWord(i * THREADS + thread));
      }
    }
  }
}

// Lanes past the last key count among those of the last digit.
fn countOf(counted: u32, digit: u32, valid: u32) -> u32 {
  return counted - select(0u, TILE - valid, digit == 255u);
}
