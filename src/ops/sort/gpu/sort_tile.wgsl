// This snippet has the keys of a tile in the registers of a workgroup, ITEMS a lane, and finds where they go
// when the tile is ordered by one digit. Lanes make groups, whose keys follow each other in rounds of one key
// a lane, so that loads are contiguous and ranks are stable. Lanes past the last key have the digit 255 and
// come last.
//
// The slab holds counters of each group's digits, with what ranking needs beside them; then keys on their way
// from one lane to another. Globals: THREADS, LANES, GROUPS, ITEMS, SLAB (words); Key, ordinalWord,
// wordOfKey, withWord (sort_key_*), rankKey (sort_rank_*), scanLanes (lanes_*).

const TILE: u32 = THREADS * ITEMS;
// Digits whose counters a lane adds up; where lanes are more than digits, some have none.
const OWN: u32 = max(1u, 256u / THREADS);

var<workgroup> slab: array<atomic<u32>, SLAB>;
// Where the keys of each digit begin in the ordered tile.
var<workgroup> starts: array<u32, 256>;

struct Digit {
  word: u32,
  shift: u32,
  mask: u32,
}

fn digitOf(key: Key, digit: Digit) -> u32 {
  return (ordinalWord(key, digit.word) >> digit.shift) & digit.mask;
}

// The place in the tile of a lane's key of that round.
fn placeOf(thread: u32, round: u32) -> u32 {
  return thread / LANES * (LANES * ITEMS) + round * LANES + thread % LANES;
}

// It zeroes the slab for another ranking. It opens and closes with a barrier.
fn clearSlab(thread: u32) {
  workgroupBarrier();
  for (var at = thread; at < SLAB; at += THREADS) {
    atomicStore(&slab[at], 0u);
  }
  workgroupBarrier();
}

// It gives of each key its digit, from bit 16 on, and its rank in its group. Call it in uniform control flow
// with a slab of zeros.
fn rankTile(thread: u32, held: ptr<function, array<Key, ITEMS>>, valid: u32, digit: Digit) -> array<u32, ITEMS> {
  let group = thread / LANES;
  let lane = thread % LANES;
  var ranks: array<u32, ITEMS>;
  for (var i = 0u; i < ITEMS; i++) {
    let own = select(255u, digitOf((*held)[i], digit), placeOf(thread, i) < valid);
    ranks[i] = (own << 16u) | rankKey(own, group, lane, i);
  }
  workgroupBarrier();
  return ranks;
}

// It gives how many keys of the tile have each of the lane's own digits, and leaves in the slab what comes
// before each group.
fn countTile(thread: u32) -> array<u32, OWN> {
  var counts: array<u32, OWN>;
  if (thread * OWN < 256u) {
    for (var i = 0u; i < OWN; i++) {
      var sum = 0u;
      for (var group = 0u; group < GROUPS; group++) {
        let at = group * 256u + thread * OWN + i;
        let here = atomicLoad(&slab[at]);
        atomicStore(&slab[at], sum);
        sum += here;
      }
      counts[i] = sum;
    }
  }
  return counts;
}

// It finds where digits begin, and turns ranks into places in the ordered tile. Call it in uniform control
// flow; it closes with a barrier, after which the slab is free.
fn orderTile(thread: u32, counts: array<u32, OWN>, ranks: array<u32, ITEMS>) -> array<u32, ITEMS> {
  var sum = 0u;
  for (var i = 0u; i < OWN; i++) {
    sum += counts[i];
  }
  var before = scanLanes(thread, sum);
  if (thread * OWN < 256u) {
    for (var i = 0u; i < OWN; i++) {
      starts[thread * OWN + i] = before;
      before += counts[i];
    }
  }
  workgroupBarrier();
  let group = thread / LANES;
  var places: array<u32, ITEMS>;
  for (var i = 0u; i < ITEMS; i++) {
    let digit = ranks[i] >> 16u;
    places[i] = starts[digit] + atomicLoad(&slab[group * 256u + digit]) + (ranks[i] & 0xffffu);
  }
  workgroupBarrier();
  return places;
}

fn leaveWord(place: u32, word: u32) {
  atomicStore(&slab[place], word);
}

fn takeWord(place: u32) -> u32 {
  return atomicLoad(&slab[place]);
}
