// histogram: one workgroup counts a part of one row into the bins of one span, in workgroup memory, and adds what it counted to
// the result. What the keys are and why comparing them is exact is written in core/bins.ts; not here: the choice of parts.
//
// Several copies of the bins, one after the other by lane, keep lanes from waiting for each other when many elements fall
// into one bin.
//
// Globals: THREADS, BINS, COPIES, FLOAT; params (flip: what turns whole numbers into u32 of their order); input, edges, ranges, counts, outside;
// linearGroup.

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

var<private> range: Range;
// Word of `edges` where those of this row begin.
var<private> firstEdge: u32;
var<private> firstBin: u32;
var<private> copy: u32;
// Elements of this lane below, above, NaN.
var<private> missed: vec3u;

var<workgroup> bins: array<atomic<u32>, BINS * COPIES>;
var<workgroup> misses: array<atomic<u32>, 3>;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let number = linearGroup(group, groups);
  if (number >= params.groups) {
    return;
  }
  // Workgroups of one part and all spans follow each other: they read the same elements.
  let span = number % params.spans;
  let part = number / params.spans % params.parts;
  let row = number / params.spans / params.parts;
  let edgeRow = select(0u, row, params.perRow == 1u);
  range = ranges[edgeRow];
  firstEdge = edgeRow * params.bins;
  firstBin = span * params.width;
  copy = lane % COPIES;

  let begin = row * params.cols + part * params.partCols;
  let end = row * params.cols + min(params.cols, (part + 1u) * params.partCols);
  countAll(lane, begin, end);
  workgroupBarrier();
  addBins(lane, row);
  if (span == 0u) {
    addMisses(lane, row);
  }
}

fn countAll(lane: u32, begin: u32, end: u32) {
  let guided = range.guard < params.guided;
  for (var at = begin / 4u + lane; at * 4u < end; at += 4u * THREADS) {
    let last = at + 3u * THREADS;
    if (guided && at * 4u >= begin && last * 4u + 4u <= end) {
      // Four loads are on their way at a time.
      let a = input[at];
      let b = input[at + THREADS];
      let c = input[at + 2u * THREADS];
      let d = input[last];
      countFour(a);
      countFour(b);
      countFour(c);
      countFour(d);
    } else {
      for (var i = at * 4u; i < min(last * 4u + 4u, end); i = next(i)) {
        if (i >= begin) {
          count(input[i / 4u][i % 4u], guided);
        }
      }
    }
  }
}

// The element of this lane that follows element i.
fn next(i: u32) -> u32 {
  return select(i + 1u, i + 4u * THREADS - 3u, i % 4u == 3u);
}

fn countFour(four: vec4u) {
  for (var i = 0u; i < 4u; i++) {
    count(four[i], true);
  }
}

fn count(bits: u32, guided: bool) {
  let key = keyOf(bits);
  if (key < range.low || key > range.high) {
    miss(bits, key);
    return;
  }
  var bin: u32;
  if (guided) {
    bin = guess(bits, key);
  } else {
    bin = search(key);
  }
  let slot = bin - firstBin;
  if (slot < params.width) {
    atomicAdd(&bins[slot * COPIES + copy], 1u);
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

fn keyOf(bits: u32) -> u32 {
  if (FLOAT) {
    return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
  }
  return bits ^ params.flip;
}

// The place among the bins decides where no edge is near; otherwise the one edge that is near does.
fn guess(bits: u32, key: u32) -> u32 {
  let place = placeOf(bits, key);
  let whole = floor(place);
  let part = place - whole;
  if (part >= range.guard && part <= 1.0 - range.guard) {
    return u32(whole);
  }
  let near = u32(place + 0.5);
  if (near >= range.reach || edges[firstEdge + near] > key) {
    return near - 1u;
  }
  return near;
}

fn placeOf(bits: u32, key: u32) -> f32 {
  if (FLOAT) {
    return (bitcast<f32>(bits) - range.base) * range.scale;
  }
  return f32(key - range.low) * range.scale + range.base;
}

// The last bin whose edge is not above the key; that of the first one is not.
fn search(key: u32) -> u32 {
  var bin = 0u;
  var above = range.reach;
  while (above - bin > 1u) {
    let middle = (bin + above) / 2u;
    if (edges[firstEdge + middle] <= key) {
      bin = middle;
    } else {
      above = middle;
    }
  }
  return bin;
}

// `counts` and `outside` are added to by several workgroups.
fn addBins(lane: u32, row: u32) {
  for (var bin = lane; bin < min(params.width, params.bins - firstBin); bin += THREADS) {
    var sum = 0u;
    for (var i = 0u; i < COPIES; i++) {
      sum += atomicLoad(&bins[bin * COPIES + i]);
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
