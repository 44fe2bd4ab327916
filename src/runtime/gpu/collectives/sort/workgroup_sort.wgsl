// This snippet has entries (key, index) in workgroup memory, and a bitonic sort of them by key, then index.
// All comparisons put the smaller entry first, so that any number of entries can be sorted: what lies past
// the last one would not move. Lanes hold four entries at a time, which makes two steps of the network
// between barriers. Call these functions in uniform control flow with uniform arguments; each opens and
// closes with a barrier.
// Globals: THREADS, CAPACITY.

var<workgroup> entryKeys: array<u32, CAPACITY>;
var<workgroup> entryIndices: array<u32, CAPACITY>;

struct Pair {
  first: vec2u,
  second: vec2u,
}

struct Four {
  a: vec2u,
  b: vec2u,
  c: vec2u,
  d: vec2u,
}

fn sortEntries(lane: u32, count: u32) {
  workgroupBarrier();
  for (var at = lane; 4u * at < count; at += THREADS) {
    let places = vec4u(4u * at) + vec4u(0u, 1u, 2u, 3u);
    let four = takeFour(places, count);
    let ab = ordered(four.a, four.b);
    let cd = ordered(four.c, four.d);
    putFour(places, count, mergeMirrored(Four(ab.first, ab.second, cd.first, cd.second)));
  }
  workgroupBarrier();
  for (var half = 2u; (1u << half) < count; half++) {
    mergeHalves(lane, count, half);
    mergeEntries(lane, count, half - 2u);
  }
}

// It does the strides 2^first, ..., 2, 1: it sorts runs of 2^(first + 1) entries that are bitonic.
fn mergeEntries(lane: u32, count: u32, first: u32) {
  workgroupBarrier();
  var steps = first + 1u;
  for (; steps >= 2u; steps -= 2u) {
    let stride = steps - 2u;
    let size = 1u << stride;
    for (var at = lane; ; at += THREADS) {
      let low = ((at >> stride) << (stride + 2u)) | (at & (size - 1u));
      if (low >= count) {
        break;
      }
      let places = vec4u(low) + size * vec4u(0u, 1u, 2u, 3u);
      let four = takeFour(places, count);
      let ac = ordered(four.a, four.c);
      let bd = ordered(four.b, four.d);
      let ab = ordered(ac.first, bd.first);
      let cd = ordered(ac.second, bd.second);
      putFour(places, count, Four(ab.first, ab.second, cd.first, cd.second));
    }
    workgroupBarrier();
  }
  if (steps == 1u) {
    for (var at = lane; 2u * at + 1u < count; at += THREADS) {
      let pair = ordered(takeEntry(2u * at, count), takeEntry(2u * at + 1u, count));
      putEntry(2u * at, count, pair.first);
      putEntry(2u * at + 1u, count, pair.second);
    }
    workgroupBarrier();
  }
}

// It compares the two halves, of 2^half entries each, of every run, the first with the last and so on
// inwards; then it does the stride 2^(half - 1).
fn mergeHalves(lane: u32, count: u32, half: u32) {
  let size = 1u << (half - 1u);
  for (var at = lane; ; at += THREADS) {
    let run = (at >> (half - 1u)) << (half + 1u);
    let low = run + (at & (size - 1u));
    if (low >= count) {
      break;
    }
    let high = 2u * run + 4u * size - 1u - low;
    let places = vec4u(low, low + size, high - size, high);
    putFour(places, count, mergeMirrored(takeFour(places, count)));
  }
  workgroupBarrier();
}

fn mergeMirrored(four: Four) -> Four {
  let ad = ordered(four.a, four.d);
  let bc = ordered(four.b, four.c);
  let ab = ordered(ad.first, bc.first);
  let cd = ordered(bc.second, ad.second);
  return Four(ab.first, ab.second, cd.first, cd.second);
}

fn ordered(a: vec2u, b: vec2u) -> Pair {
  if (isBefore(b, a)) {
    return Pair(b, a);
  }
  return Pair(a, b);
}

fn isBefore(a: vec2u, b: vec2u) -> bool {
  return a.x < b.x || (a.x == b.x && a.y < b.y);
}

fn takeFour(places: vec4u, count: u32) -> Four {
  return Four(
    takeEntry(places.x, count),
    takeEntry(places.y, count),
    takeEntry(places.z, count),
    takeEntry(places.w, count),
  );
}

fn putFour(places: vec4u, count: u32, four: Four) {
  putEntry(places.x, count, four.a);
  putEntry(places.y, count, four.b);
  putEntry(places.z, count, four.c);
  putEntry(places.w, count, four.d);
}

// Past the last entry lies what comes after all.
fn takeEntry(place: u32, count: u32) -> vec2u {
  if (place < count) {
    return vec2u(entryKeys[place], entryIndices[place]);
  }
  return vec2u(0xffffffffu);
}

fn putEntry(place: u32, count: u32, entry: vec2u) {
  if (place < count) {
    entryKeys[place] = entry.x;
    entryIndices[place] = entry.y;
  }
}
