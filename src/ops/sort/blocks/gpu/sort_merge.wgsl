// This kernel merges a tile for each workgroup: its parts of both runs come to workgroup memory, each lane
// finds where its ITEMS keys begin in both and merges them, and lanes next to each other write what is next
// to each other. Only the places of keys move in workgroup memory. Globals: THREADS, ITEMS, TILE; params
// (begin, count, tiles); leftKeys, rightKeys, keys, cuts; moveLeft and moveRight (sort_carry_*); sort_key_*,
// sort_order.

// The left part, then the right one.
var<workgroup> held: array<Key, TILE>;
var<workgroup> sources: array<u32, TILE>;

@each_workgroup(params.tiles)
fn main(tile: u32, thread: u32) {
  let first = tile * TILE;
  let size = min(TILE, params.count - first);
  let left = cuts[tile];
  let lefts = cuts[tile + 1u] - left;
  let right = params.begin + first - left;
  for (var at = thread; at < size; at += THREADS) {
    if (at < lefts) {
      held[at] = leftKeys[left + at];
    } else {
      held[at] = rightKeys[right + at - lefts];
    }
  }
  workgroupBarrier();
  mergeItems(min(thread * ITEMS, size), lefts, size);
  workgroupBarrier();
  for (var at = thread; at < size; at += THREADS) {
    let source = sources[at];
    keys[first + at] = held[source];
    if (source < lefts) {
      moveLeft(left + source, first + at);
    } else {
      moveRight(right + source - lefts, first + at);
    }
  }
}

// It finds where the keys at some places of the tile come from.
fn mergeItems(begin: u32, lefts: u32, size: u32) {
  let end = min(begin + ITEMS, size);
  if (begin >= end) {
    return;
  }
  var least = max(begin, size - lefts) - (size - lefts);
  var most = min(begin, lefts);
  while (least < most) {
    let middle = least + (most - least) / 2u;
    if (isBefore(ordinalOf(held[lefts + begin - 1u - middle]), ordinalOf(held[middle]))) {
      most = middle;
    } else {
      least = middle + 1u;
    }
  }
  var a = least;
  var b = lefts + begin - least;
  var ofA = ordinalOf(held[min(a, TILE - 1u)]);
  var ofB = ordinalOf(held[min(b, TILE - 1u)]);
  for (var at = begin; at < end; at++) {
    if (b >= size || (a < lefts && !isBefore(ofB, ofA))) {
      sources[at] = a;
      a++;
      ofA = ordinalOf(held[min(a, TILE - 1u)]);
    } else {
      sources[at] = b;
      b++;
      ofB = ordinalOf(held[min(b, TILE - 1u)]);
    }
  }
}
