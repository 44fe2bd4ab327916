// This kernel moves the keys of tiles to their places by one digit, with what they carry. A tile is first
// ordered in workgroup memory, so that the keys of each digit are written side by side. A workgroup takes
// tile after tile, since workgroup memory is zeroed for each workgroup. Globals: THREADS, ITEMS; params
// (begin, count, tiles, number, word, shift, mask); takeTile, nextTile, leaveCount, baseOf and lost
// (sort_bases_*); loadKeys (sort_keys), putKeys (sort_put), moveValues (sort_values_*); scratch; sort_tile,
// sort_rank_*, sort_stage, sort_state.

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
  var tile = workgroupUniformLoad(&taken);
  while (tile < params.tiles) {
    moveTile(tile, step, thread, way);
    clearCounters(thread);
    tile = workgroupUniformLoad(&taken);
  }
}

// It takes the next tile on the way, whose number comes late.
fn moveTile(tile: u32, step: u32, thread: u32, way: u32) {
  let digit = Digit(params.word, params.shift, params.mask);
  let before = tile * TILE;
  let valid = validOf(tile);
  var next = 0u;
  if (thread == 0u) {
    next = nextTile(tile, step);
  }
  var held: array<Key, ITEMS>;
  loadKeys(sourceOf(way), tile, thread, &held);
  countKeys(thread, &held, valid, digit);
  let counts = countTile(thread);
  for (var i = 0u; i < OWN; i++) {
    let own = thread * OWN + i;
    if (own < 256u) {
      leaveCount(tile, own, counts[i], isOdd(way));
    }
  }
  if (thread == 0u) {
    taken = next;
  }
  startDigits(thread, counts);
  var places: array<u32, ITEMS>;
  placeKeys(thread, &held, valid, digit, &places);
  openStage();
  for (var i = 0u; i < ITEMS; i++) {
    leaveKey(places[i], held[i]);
  }
  for (var i = 0u; i < OWN; i++) {
    let own = thread * OWN + i;
    if (own < 256u) {
      bases[own] = baseOf(tile, own, counts[i], isOdd(way)) - starts[own];
    }
  }
  workgroupBarrier();
  let end = select(valid, 0u, atomicLoad(&lost) != 0u);
  var targets: array<u32, ITEMS>;
  putKeys(sinkOf(way), thread, end, digit, &targets);
  moveValues(way, before, valid, thread, &places, &targets);
}
