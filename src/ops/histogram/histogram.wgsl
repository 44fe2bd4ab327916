// histogram: one workgroup counts a part of one row into the bins of one span, in workgroup memory, and adds
// the counts to the result. ops/histogram/bins.ts says what the keys are and why comparing them is exact;
// ops/histogram/gpu.ts chooses the parts.
//
// The keys of the span's edges lie in workgroup memory too. Where the range has a guide, the place of an
// element among the bins tells the edge next to it, and comparing with that one tells the bin, so that
// elements on edges cost what others do. Lanes take sixteen elements at a time; sixteen that share a bin are
// added at once, and copies of the bins, by lane, serve those that share a few, so that lanes wait little for
// each other.
//
// Globals: THREADS, BINS, COPIES, WHOLE (the span is all bins), FLOAT; params (fraction: bits after the point
// of a place; flip: what turns whole numbers into u32 of their order); input, edges, ranges, counts, outside;
// keysOfFloats (float_key).

struct Range {
  low: u32,
  high: u32,
  reach: u32,
  verdict: u32,
  guard: f32,
  base: f32,
  scale: f32,
  unused: u32,
}

const ALL_BELOW = 1u;
const ALL_ABOVE = 2u;
// An edge that no key reaches, except this very number.
const BEYOND = 0xffffffffu;

var<private> range: Range;
var<private> firstBin: u32;
var<private> copy: u32;
// The elements of this lane below, above, and NaN.
var<private> missed: vec3u;

// The edges of the bins of the span, and the one after them.
var<workgroup> spanEdges: array<u32, BINS + 1u>;
var<workgroup> bins: array<atomic<u32>, BINS * COPIES>;
var<workgroup> misses: array<atomic<u32>, 3>;

@each_workgroup(params.groups)
fn main(number: u32, lane: u32) {
  // Workgroups of one part and all spans follow each other, since they read the same elements.
  let span = number % params.spans;
  let part = number / params.spans % params.parts;
  let row = number / params.spans / params.parts;
  let edgeRow = select(0u, row, params.perRow == 1u);
  range = ranges[edgeRow];
  firstBin = span * params.width;
  copy = lane % COPIES;
  holdEdges(lane, edgeRow * params.bins);
  workgroupBarrier();

  let begin = row * params.cols + part * params.partCols;
  let end = row * params.cols + min(params.cols, (part + 1u) * params.partCols);
  countAll(lane, begin, end);
  workgroupBarrier();
  addBins(lane, row, part);
  if (span == 0u) {
    addMisses(lane, row);
  }
}

fn holdEdges(lane: u32, first: u32) {
  for (var i = lane; i <= params.width; i += THREADS) {
    var edge = BEYOND;
    if (firstBin + i < range.reach) {
      edge = edges[first + firstBin + i];
    }
    spanEdges[i] = edge;
  }
}

// Reads whole vectors, then what lies before and after them.
fn countAll(lane: u32, begin: u32, end: u32) {
  let first = (begin + 3u) / 4u;
  let last = max(first, end / 4u);
  let guided = range.guard < params.guided;
  var at = first + lane;
  if (guided) {
    for (; at + 3u * THREADS < last; at += 4u * THREADS) {
      countSixteen(at);
    }
  }
  for (; at < last; at += THREADS) {
    countFour(input[at], guided);
  }
  let before = begin + lane;
  if (before < min(4u * first, end)) {
    count(input[before / 4u][before % 4u], guided);
  }
  let after = 4u * last + lane;
  if (after < end) {
    count(input[after / 4u][after % 4u], guided);
  }
}

fn countSixteen(at: u32) {
  // Four loads are on their way at a time.
  let a = input[at];
  let b = input[at + THREADS];
  let c = input[at + 2u * THREADS];
  let d = input[at + 3u * THREADS];
  if (!(areInside(keysOf(a)) && areInside(keysOf(b)) && areInside(keysOf(c)) && areInside(keysOf(d)))) {
    for (var vector = at; vector <= at + 3u * THREADS; vector += THREADS) {
      countFour(input[vector], true);
    }
    return;
  }
  let p = slotsOf(a);
  let q = slotsOf(b);
  let r = slotsOf(c);
  let s = slotsOf(d);
  let other = (p ^ p.yzwx) | (p ^ q) | (p ^ r) | (p ^ s);
  if ((other.x | other.y | other.z | other.w) == 0u) {
    add(p.x, 16u);
  } else {
    addFour(p);
    addFour(q);
    addFour(r);
    addFour(s);
  }
}

// Returns true where all are in range, and none is BEYOND.
fn areInside(keys: vec4u) -> bool {
  return all((keys >= vec4u(range.low)) & (keys <= vec4u(min(range.high, BEYOND - 1u))));
}

fn addFour(slots: vec4u) {
  add(slots.x, 1u);
  add(slots.y, 1u);
  add(slots.z, 1u);
  add(slots.w, 1u);
}

// A slot is a bin of the span, or of another span; then its number is none of this span's.
fn add(slot: u32, times: u32) {
  if (WHOLE || slot < params.width) {
    atomicAdd(&bins[slot * COPIES + copy], times);
  }
}

// Returns the slots of elements that are inside.
fn slotsOf(bits: vec4u) -> vec4u {
  let near = nearEdges(bits);
  let edge = vec4u(spanEdges[near.x], spanEdges[near.y], spanEdges[near.z], spanEdges[near.w]);
  return select(near, near - vec4u(1u), edge > keysOf(bits));
}

// Returns the edges next to elements in range, counted from the span's first: the bin begins or ends there. A
// float between 2^n and 2^(n + 1) has `fraction` bits after the point.
fn nearEdges(bits: vec4u) -> vec4u {
  let size = f32(0x800000u >> params.fraction);
  var moved: vec4f;
  if (FLOAT) {
    moved = (bitcast<vec4f>(bits) - vec4f(range.base)) * vec4f(range.scale) + vec4f(size + 0.5);
  } else {
    moved = vec4f(keysOf(bits) - vec4u(range.low)) * vec4f(range.scale) + vec4f(range.base + size + 0.5);
  }
  return ((bitcast<vec4u>(moved) & vec4u(0x7fffffu)) >> vec4u(params.fraction)) - vec4u(firstBin);
}

fn keysOf(bits: vec4u) -> vec4u {
  if (FLOAT) {
    return keysOfFloats(bits);
  }
  return bits ^ vec4u(params.flip);
}

fn countFour(bits: vec4u, guided: bool) {
  count(bits.x, guided);
  count(bits.y, guided);
  count(bits.z, guided);
  count(bits.w, guided);
}

fn count(bits: u32, guided: bool) {
  let key = keysOf(vec4u(bits)).x;
  if (key < range.low || key > range.high) {
    miss(bits, key);
    return;
  }
  var slot: u32;
  if (guided) {
    slot = nearEdges(vec4u(bits)).x;
    if (firstBin + slot >= range.reach || (slot <= params.width && spanEdges[slot] > key)) {
      slot -= 1u;
    }
  } else {
    slot = search(key);
  }
  if (slot < params.width) {
    add(slot, 1u);
  }
}

fn miss(bits: u32, key: u32) {
  if (FLOAT && (bits & 0x7fffffffu) > 0x7f800000u) {
    missed.z++;
  } else if (range.verdict != ALL_ABOVE && (range.verdict == ALL_BELOW || key < range.low)) {
    missed.x++;
  } else {
    missed.y++;
  }
}

// Returns the last slot whose edge is not above the key; none when all are above it, or when it is not in the
// span.
fn search(key: u32) -> u32 {
  let reach = range.reach - min(firstBin, range.reach);
  if (reach == 0u || spanEdges[0] > key || (reach > params.width && spanEdges[params.width] <= key)) {
    return params.width;
  }
  var slot = 0u;
  var above = min(reach, params.width);
  while (above - slot > 1u) {
    let middle = (slot + above) / 2u;
    if (spanEdges[middle] <= key) {
      slot = middle;
    } else {
      above = middle;
    }
  }
  return slot;
}

// Adds to `counts` and `outside`. Several workgroups do so, and begin at different bins.
fn addBins(lane: u32, row: u32, part: u32) {
  let width = min(params.width, params.bins - firstBin);
  let turn = part * THREADS % width;
  for (var i = lane; i < width; i += THREADS) {
    let bin = select(i + turn, i + turn - width, i + turn >= width);
    var sum = 0u;
    for (var j = 0u; j < COPIES; j++) {
      sum += atomicLoad(&bins[bin * COPIES + j]);
    }
    if (sum > 0u) {
      atomicAdd(&counts[row * params.bins + firstBin + bin], sum);
    }
  }
}

fn addMisses(lane: u32, row: u32) {
  for (var kind = 0u; kind < 3u; kind++) {
    if (missed[kind] > 0u) {
      atomicAdd(&misses[kind], missed[kind]);
    }
  }
  workgroupBarrier();
  if (lane < 3u) {
    let sum = atomicLoad(&misses[lane]);
    if (sum > 0u) {
      atomicAdd(&outside[row * 3u + lane], sum);
    }
  }
}
