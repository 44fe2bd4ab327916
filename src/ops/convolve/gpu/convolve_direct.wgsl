// convolve with few taps: a lane makes a vector of outputs, TURNS times, of samples that it reads from memory
// in vectors; what lanes next to it read as well is in the cache. Each lane has the taps in registers, so
// that no lane waits for another. Tiles begin where outputs are aligned. Samples then are all shifted alike.
//
// A tile whose samples are all there asks for those of ABREAST turns at a time, and for the next ones before
// it adds these up, so that memory has always something to do: for the first ones before it loads the taps.
// In other tiles, outputs that need something outside their row, or share a vector with another row, are
// made one by one.
//
// Globals: THREADS, TURNS, ABREAST (which divides TURNS), STEPS (what comes out), GROUPS (whole groups of
// four taps, a few), PARTS (one more), SPAN (two more than that: the vectors that a vector of outputs
// needs), LANES (4), KNOWN_SHIFT (by how much samples are shifted, or 4 where tiles differ in it), Scalar,
// Vec; params.tiles (of a row and a mask), params.items (tiles in all), params.masks, params.count,
// params.length, params.taps, params.before; signal, output; convolve_samples, taps_storage, sums_*.
// Loops up to ABREAST, PARTS, SPAN and LANES are written out.

const TILE: u32 = 4u * THREADS * TURNS;

var<private> weights: array<Vec, PARTS>;

fn signalAt(at: u32) -> Scalar {
  return signal[at / 4u][at % 4u];
}

@each_workgroup(params.items)
fn main(item: u32, lane: u32) {
  let line = item / params.tiles;
  let row = line / params.masks;
  let number = line % params.masks;
  let lineBegin = line * params.length;
  let begin = i32(item % params.tiles * TILE) - i32(lineBegin % 4u);
  let first = begin - params.before;
  let isWhole = begin >= 0 && begin + i32(TILE) <= i32(params.length)
    && first >= 0 && first + i32(TILE + params.taps) <= i32(params.count) + 1;
  let shift = select(KNOWN_SHIFT, u32(i32(row * params.count) + first) % 4u, KNOWN_SHIFT == 4u);
  var source = (row * params.count + u32(first)) / 4u + lane;

  var spans: array<Vec, ABREAST * SPAN>;
  if (isWhole) {
    for (var a = 0u; a < ABREAST; a++) {
      for (var s = 0u; s < SPAN; s++) {
        spans[a * SPAN + s] = signal[source + a * THREADS + s];
      }
    }
  }
  for (var part = 0u; part < PARTS; part++) {
    for (var i = 0u; i < LANES; i++) {
      if (4u * part + i < params.taps) {
        weights[part][i] = tapAt(number, 4u * part + i);
      }
    }
  }

  var most = 0u;
  if (isWhole) {
    var place = (lineBegin + u32(begin)) / 4u + lane;
    for (var step = 0u; step < STEPS; step++) {
      let now = spans;
      source += ABREAST * THREADS;
      if (step + 1u < STEPS) {
        for (var a = 0u; a < ABREAST; a++) {
          for (var s = 0u; s < SPAN; s++) {
            spans[a * SPAN + s] = signal[source + a * THREADS + s];
          }
        }
      }
      for (var a = 0u; a < ABREAST; a++) {
        var sums = Vec(zero());
        var x = shifted(now[a * SPAN], now[a * SPAN + 1u], shift);
        most = max(most, magnitudes(x));
        for (var part = 0u; part < PARTS; part++) {
          let y = shifted(now[a * SPAN + part + 1u], now[a * SPAN + part + 2u], shift);
          most = max(most, magnitudes(y));
          sums = added(sums, weights[part], x, y, select(params.taps % 4u, 4u, part < GROUPS));
          x = y;
        }
        output[place + a * THREADS] = sums;
      }
      place += ABREAST * THREADS;
    }
  } else {
    for (var turn = 0u; turn < TURNS; turn++) {
      let o = begin + 4 * i32(turn * THREADS + lane);
      let at = o - params.before;
      let isInside = at >= 0 && at + i32(params.taps) + 3 <= i32(params.count);
      if (o >= 0 && o + 4 <= i32(params.length) && isInside) {
        most = max(most, inner(line, row, u32(o), u32(at), shift));
      } else {
        for (var i = max(o, 0); i < min(o + 4, i32(params.length)); i++) {
          most = max(most, outer(line, row, i));
        }
      }
    }
  }
  if (isSuspect(most)) {
    for (var turn = 0u; turn < TURNS; turn++) {
      let o = begin + 4 * i32(turn * THREADS + lane);
      for (var i = max(o, 0); i < min(o + 4, i32(params.length)); i++) {
        checkSum(lineBegin + u32(i), row, number, i - params.before);
      }
    }
  }
}

// A zero that no compiler knows as one: 0 + x is not x where x is -0.
fn zero() -> Scalar {
  return Scalar(params.taps >> 31u);
}

// Adds what some of four taps, all but those past the last, make of the samples from x on. Taps past the last
// are not multiplied, since what they would meet may be NaN.
fn added(given: Vec, weight: Vec, x: Vec, y: Vec, some: u32) -> Vec {
  var sums = given;
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
  return sums;
}

// Makes a vector of outputs, and returns the largest magnitude of its samples.
fn inner(line: u32, row: u32, o: u32, first: u32, shift: u32) -> u32 {
  let at = (row * params.count + first) / 4u;
  var x = shifted(signal[at], signal[at + 1u], shift);
  var most = magnitudes(x);
  var sums = Vec(zero());
  for (var part = 0u; part < PARTS; part++) {
    let y = shifted(signal[at + part + 1u], signal[at + part + 2u], shift);
    most = max(most, magnitudes(y));
    sums = added(sums, weights[part], x, y, select(params.taps % 4u, 4u, part < GROUPS));
    x = y;
  }
  output[(line * params.length + o) / 4u] = sums;
  return most;
}

// Makes one output.
fn outer(line: u32, row: u32, o: i32) -> u32 {
  var sum = Scalar();
  var most = 0u;
  for (var tap = 0u; tap < params.taps; tap++) {
    let x = sampleAt(row, o - params.before + i32(tap));
    most = max(most, magnitude(x));
    sum += tapAt(line % params.masks, tap) * x;
  }
  let place = line * params.length + u32(o);
  output[place / 4u][place % 4u] = sum;
  return most;
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
