// This snippet has the keys of a tile in the registers of a workgroup, ITEMS a lane, and finds where they go
// when the tile is ordered by one digit. Lanes make groups, whose keys follow each other in rounds of one key
// a lane, so that loads are contiguous and ranks are stable. Lanes past the last key have the digit 255 and
// come last; they are in the last tile, whose counts no other tile looks at.
//
// The slab holds counters of each group's digits, with what ranking needs beside them; then keys on their way
// from one lane to another. Keys are counted before they are ranked, so that others know the tile's counts
// early. Globals: THREADS, LANES, GROUPS, ITEMS, COUNTERS, SLAB (words); Key, ordinalWord (sort_key_*),
// scanLanes (lanes_*).

const TILE: u32 = THREADS * ITEMS;
// Digits whose counters a lane adds up; the last lanes may have none.
const OWN: u32 = (256u + THREADS - 1u) / THREADS;

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

fn digitAt(key: Key, place: u32, valid: u32, digit: Digit) -> u32 {
  return select(255u, digitOf(key, digit), place < valid);
}

// It zeroes the counters for another ranking. It opens and closes with a barrier.
fn clearCounters(thread: u32) {
  workgroupBarrier();
  for (var at = thread; at < COUNTERS; at += THREADS) {
    atomicStore(&slab[at], 0u);
  }
  workgroupBarrier();
}

// It counts the digits of each group. Call it in uniform control flow with counters of zeros; it closes with
// a barrier.
fn countKeys(thread: u32, held: ptr<function, array<Key, ITEMS>>, valid: u32, digit: Digit) {
  let group = thread / LANES * 256u;
  for (var i = 0u; i < ITEMS; i++) {
    atomicAdd(&slab[group + digitAt((*held)[i], placeOf(thread, i), valid, digit)], 1u);
  }
  workgroupBarrier();
}

// It gives how many keys of the tile have each of the lane's own digits.
fn countTile(thread: u32) -> array<u32, OWN> {
  var counts: array<u32, OWN>;
  for (var i = 0u; i < OWN; i++) {
    let own = thread * OWN + i;
    if (own < 256u) {
      var sum = 0u;
      for (var group = 0u; group < GROUPS; group++) {
        sum += atomicLoad(&slab[group * 256u + own]);
      }
      counts[i] = sum;
    }
  }
  return counts;
}

// It finds where digits begin in the ordered tile, and turns counters into where those of each group do. Call
// it in uniform control flow; it closes with a barrier.
fn startDigits(thread: u32, counts: array<u32, OWN>) {
  var sum = 0u;
  for (var i = 0u; i < OWN; i++) {
    sum += counts[i];
  }
  var before = scanLanes(thread, sum);
  for (var i = 0u; i < OWN; i++) {
    let own = thread * OWN + i;
    if (own < 256u) {
      starts[own] = before;
      for (var group = 0u; group < GROUPS; group++) {
        let at = group * 256u + own;
        let here = atomicLoad(&slab[at]);
        atomicStore(&slab[at], before);
        before += here;
      }
    }
  }
  workgroupBarrier();
}
