// convolve with some taps: a workgroup makes a tile of outputs of one row and one mask from samples in
// workgroup memory, a lane VECTORS vectors of outputs next to each other. Between them a lane and its taps
// move a window of VECTORS + 1 vectors over the samples in registers, so that four taps cost a lane one read.
//
// Lanes are VECTORS vectors apart, an odd number, so that they read from different banks. Tiles begin where
// outputs are aligned; samples, which then are all shifted alike, are shifted while they are loaded. Outputs
// go through the same memory, so that lanes next to each other write what is next to each other.
//
// Globals: THREADS, VECTORS, GROUPS (of four taps, the last of which may lack some), CHECKED, Scalar, Vec;
// params.tiles (of a row and a mask), params.items (tiles in all), params.masks, params.count,
// params.length, params.taps, params.before; signal, output; convolve_samples, taps_*, sums_*; sumsOf.

const WIDTH: u32 = VECTORS * THREADS;

var<workgroup> tile: array<Vec, WIDTH + GROUPS>;
var<workgroup> weights: array<Vec, GROUPS>;
var<workgroup> largest: atomic<u32>;

fn signalAt(at: u32) -> Scalar {
  return signal[at / 4u][at % 4u];
}

@each_workgroup(params.items)
fn main(item: u32, lane: u32) {
  let line = item / params.tiles;
  let row = line / params.masks;
  let number = line % params.masks;
  let lineBegin = line * params.length;
  let begin = i32(item % params.tiles * WIDTH * 4u) - i32(lineBegin % 4u);
  load(row, number, begin - params.before, lane);
  workgroupBarrier();
  let sums = sumsOf(VECTORS * lane);
  workgroupBarrier();
  for (var q = 0u; q < VECTORS; q++) {
    tile[VECTORS * lane + q] = sums[q];
  }
  workgroupBarrier();
  let isWhole = begin >= 0 && begin + 4 * i32(WIDTH) <= i32(params.length);
  let place = i32(lineBegin) + begin;
  for (var q = 0u; q < VECTORS; q++) {
    let at = q * THREADS + lane;
    if (isWhole) {
      output[u32(place) / 4u + at] = tile[at];
    } else {
      for (var i = 0; i < 4; i++) {
        let o = begin + 4 * i32(at) + i;
        if (o >= 0 && o < i32(params.length)) {
          output[(lineBegin + u32(o)) / 4u][i] = tile[at][i];
        }
      }
    }
  }
  if (CHECKED) {
    if (isSuspect(atomicLoad(&largest))) {
      for (var at = i32(lane); at < 4 * i32(WIDTH); at += i32(THREADS)) {
        let o = begin + at;
        if (o >= 0 && o < i32(params.length)) {
          checkSum(lineBegin + u32(o), row, number, o - params.before);
        }
      }
    }
  }
}

// Loads the samples from place `first` of a row on, and the taps.
fn load(row: u32, number: u32, first: i32, lane: u32) {
  var most = 0u;
  if (first >= 0 && first + 4 * i32(WIDTH + GROUPS) + 4 <= i32(params.count)) {
    let shift = (row * params.count + u32(first)) % 4u;
    let base = (row * params.count + u32(first)) / 4u + lane;
    // All are asked for before the first is awaited.
    var samples: array<Vec, VECTORS>;
    for (var q = 0u; q < VECTORS; q++) {
      samples[q] = shifted(signal[base + q * THREADS], signal[base + q * THREADS + 1u], shift);
    }
    for (var q = 0u; q < VECTORS; q++) {
      tile[q * THREADS + lane] = samples[q];
      most = max(most, magnitudes(samples[q]));
    }
    for (var at = lane; at < GROUPS; at += THREADS) {
      let own = base + WIDTH + at - lane;
      let last = shifted(signal[own], signal[own + 1u], shift);
      tile[WIDTH + at] = last;
      most = max(most, magnitudes(last));
    }
  } else {
    for (var at = lane; at < WIDTH + GROUPS; at += THREADS) {
      var samples: Vec;
      for (var i = 0u; i < 4u; i++) {
        samples[i] = sampleAt(row, first + i32(4u * at + i));
      }
      tile[at] = samples;
      most = max(most, magnitudes(samples));
    }
  }
  if (CHECKED) {
    atomicMax(&largest, most);
  }
  for (var at = lane; at < GROUPS; at += THREADS) {
    var weight = Vec();
    for (var i = 0u; i < min(4u, params.taps - 4u * at); i++) {
      weight[i] = tapAt(number, 4u * at + i);
    }
    weights[at] = weight;
  }
}

// The four samples that begin so many behind the first of eight.
fn shifted(x: Vec, y: Vec, shift: u32) -> Vec {
  let one = (shift & 1u) == 1u;
  let a = select(x, Vec(x.yzw, y.x), one);
  let b = select(y.xyz, y.yzw, one);
  return select(a, Vec(a.zw, b.xy), shift >= 2u);
}

fn magnitudes(x: Vec) -> u32 {
  return max(max(magnitude(x.x), magnitude(x.y)), max(magnitude(x.z), magnitude(x.w)));
}
