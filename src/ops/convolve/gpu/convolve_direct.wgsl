// convolve with few taps: a lane makes a vector of outputs, TURNS times, of samples that it reads from memory
// in vectors; what lanes next to it read as well is in the cache. Tiles begin where outputs are aligned.
// Samples then are all shifted alike.
//
// Outputs that need something outside their row, or share a vector with another row, are made one by one.
//
// Globals: THREADS, TURNS, GROUPS (whole groups of four taps, a few), PARTS (one more), KNOWN_SHIFT (by how
// much samples are shifted, or 4 where tiles differ in it), Scalar, Vec; params.tiles (of a row and a mask),
// params.items (tiles in all), params.masks, params.count, params.length, params.taps, params.before;
// signal, output; convolve_samples, taps_storage, weights_*, sums_*. Loops up to PARTS are written out.

const TILE: u32 = 4u * THREADS * TURNS;

fn signalAt(at: u32) -> Scalar {
  return signal[at / 4u][at % 4u];
}

@each_workgroup(params.items)
fn main(item: u32, lane: u32) {
  let line = item / params.tiles;
  let row = line / params.masks;
  let number = line % params.masks;
  loadWeights(number, lane);

  let lineBegin = line * params.length;
  let begin = i32(item % params.tiles * TILE) - i32(lineBegin % 4u);
  let shift = select(KNOWN_SHIFT, u32(i32(row * params.count) + begin - params.before) % 4u, KNOWN_SHIFT == 4u);
  for (var turn = 0u; turn < TURNS; turn++) {
    let o = begin + 4 * i32(turn * THREADS + lane);
    let first = o - params.before;
    let isInside = first >= 0 && first + i32(params.taps) + 3 <= i32(params.count);
    if (o >= 0 && o + 4 <= i32(params.length) && isInside) {
      inner(line, row, number, o, shift);
    } else {
      for (var i = max(o, 0); i < min(o + 4, i32(params.length)); i++) {
        outer(line, row, number, i);
      }
    }
  }
}

// A zero that no compiler knows as one: 0 + x is not x where x is -0.
fn zero() -> Scalar {
  return Scalar(params.taps >> 31u);
}

// Makes a vector of outputs.
fn inner(line: u32, row: u32, number: u32, o: i32, shift: u32) {
  let first = o - params.before;
  let at = (row * params.count + u32(first)) / 4u;
  var next = signal[at + 1u];
  var x = shifted(signal[at], next, shift);
  var most = magnitudes(x);
  var sums = Vec(zero());
  for (var part = 0u; part < PARTS; part++) {
    let later = signal[at + part + 2u];
    let y = shifted(next, later, shift);
    most = max(most, magnitudes(y));
    let weight = weights[part];
    // Taps past the last are not multiplied, since what they would meet may be NaN.
    let some = select(params.taps % 4u, 4u, part < GROUPS);
    if (some > 0u) {
      sums += weight.x * x;
    }
    if (some > 1u) {
      sums += weight.y * Vec(x.yzw, y.x);
    }
    if (some > 2u) {
      sums += weight.z * Vec(x.zw, y.xy);
    }
    if (some > 3u) {
      sums += weight.w * Vec(x.w, y.xyz);
    }
    next = later;
    x = y;
  }
  let place = line * params.length + u32(o);
  output[place / 4u] = sums;
  if (isSuspect(most)) {
    for (var i = 0u; i < 4u; i++) {
      checkSum(place + i, row, number, first + i32(i));
    }
  }
}

// Makes one output.
fn outer(line: u32, row: u32, number: u32, o: i32) {
  let first = o - params.before;
  var sum = Scalar();
  var most = 0u;
  for (var tap = 0u; tap < params.taps; tap++) {
    let x = sampleAt(row, first + i32(tap));
    most = max(most, magnitude(x));
    sum += tapAt(number, tap) * x;
  }
  let place = line * params.length + u32(o);
  output[place / 4u][place % 4u] = sum;
  if (isSuspect(most)) {
    checkSum(place, row, number, first);
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
