// convolve by overlap-save: a workgroup makes blocks of outputs of one row and one mask, two at a time, as
// the real and the imaginary parts of one product of spectra. Of long masks it adds up the products of all
// parts.
//
// With CHAINED masks have two parts, as long as a block has outputs. Then what one block multiplies with the
// second part, the next one multiplies with the first. So a workgroup makes params.chain blocks one after the
// other, and as many after those as imaginary parts.
//
// Globals: THREADS (256), SEVERAL (whether masks have several parts), CHAINED, Scalar; params.items,
// params.pairs (of a row and a mask, each of two times params.chain blocks), params.chain (1 unless CHAINED),
// params.hop (outputs of a block), params.parts, params.partTaps, params.masks, params.count, params.length,
// params.taps, params.before; signal, mask, output, scratch; fft_points, convolve_samples, taps_storage.

fn signalAt(at: u32) -> f32 {
  return signal[at];
}

fn twiddleAt(at: u32) -> vec2f {
  return scratch[at];
}

@each_workgroup(params.items)
fn main(item: u32, lane: u32) {
  let line = item / params.pairs;
  let row = line / params.masks;
  let between = params.chain * params.hop;
  let begin = item % params.pairs * 2u * between;
  let first = i32(begin) - params.before;
  let spectra = (line % params.masks * params.parts + 1u) * POINTS + lane;
  var v: Points;
  loadBoth(&v, row, first, between, lane);
  forth(&v, lane);
  if (CHAINED) {
    var before = v;
    for (var block = 0u; block < params.chain; block++) {
      let o = begin + block * params.hop;
      if (o >= params.length) {
        break;
      }
      loadBoth(&v, row, first + i32((block + 1u) * params.hop), between, lane);
      forth(&v, lane);
      for (var i = 0u; i < 16u; i++) {
        let sum = times(before[i], scratch[spectra + i * 256u]);
        before[i] = v[i];
        v[i] = (sum + times(v[i], scratch[spectra + POINTS + i * 256u])).yx;
      }
      back(&v, lane);
      storeBoth(&v, line, o, between, lane);
    }
    return;
  }
  for (var i = 0u; i < 16u; i++) {
    v[i] = times(v[i], scratch[spectra + i * 256u]).yx;
  }
  if (SEVERAL) {
    var sum = v;
    for (var part = 1u; part < params.parts; part++) {
      loadBoth(&v, row, first + i32(part * params.partTaps), between, lane);
      forth(&v, lane);
      for (var i = 0u; i < 16u; i++) {
        sum[i] += times(v[i], scratch[spectra + part * POINTS + i * 256u]).yx;
      }
    }
    v = sum;
  }
  back(&v, lane);
  storeBoth(&v, line, begin, between, lane);
}

// Outputs `between` of each other. One sample that is not finite, or a product that is too large, makes all
// of them not finite: then they are added up anew, so that only the outputs that the sample is part of are
// not.
fn storeBoth(v: ptr<function, Points>, line: u32, o: u32, between: u32, lane: u32) {
  if (all(isFinite((*v)[0]))) {
    let place = line * params.length + o + lane;
    let isWhole = o + between + params.hop <= params.length;
    for (var i = 0u; i < 16u; i++) {
      let at = i * 256u;
      if (at + lane < params.hop) {
        if (isWhole || o + at + lane < params.length) {
          output[place + at] = (*v)[i].y;
        }
        if (isWhole || o + between + at + lane < params.length) {
          output[place + between + at] = (*v)[i].x;
        }
      }
    }
    return;
  }
  for (var at = lane; at < params.hop; at += 256u) {
    storeSum(line, o + at);
    storeSum(line, o + between + at);
  }
}

fn isFinite(sums: vec2f) -> vec2<bool> {
  return (bitcast<vec2u>(sums) & vec2u(0x7f800000u)) != vec2u(0x7f800000u);
}

fn storeSum(line: u32, o: u32) {
  if (o >= params.length) {
    return;
  }
  var sum = 0.0;
  for (var tap = 0u; tap < params.taps; tap++) {
    let at = i32(o + tap) - params.before;
    sum += tapAt(line % params.masks, tap) * sampleAt(line / params.masks, at);
  }
  output[line * params.length + o] = sum;
}

// The samples of two blocks that lie so far apart. Those beyond the ends of the row go through workgroup
// memory, so that the loop that knows boundaries is short; a lane reads what it has written.
fn loadBoth(v: ptr<function, Points>, row: u32, first: i32, between: u32, lane: u32) {
  let second = first + i32(between);
  workgroupBarrier();
  if (first >= 0 && second + i32(POINTS) <= i32(params.count)) {
    let at = row * params.count + u32(first) + lane;
    for (var i = 0u; i < 16u; i++) {
      (*v)[i] = vec2f(signal[at + i * 256u], signal[at + between + i * 256u]);
    }
    return;
  }
  for (var at = lane; at < POINTS; at += 256u) {
    exchanged[at] = sampleAt(row, first + i32(at));
  }
  for (var i = 0u; i < 16u; i++) {
    (*v)[i].x = exchanged[i * 256u + lane];
  }
  for (var at = lane; at < POINTS; at += 256u) {
    exchanged[at] = sampleAt(row, second + i32(at));
  }
  for (var i = 0u; i < 16u; i++) {
    (*v)[i].y = exchanged[i * 256u + lane];
  }
}
