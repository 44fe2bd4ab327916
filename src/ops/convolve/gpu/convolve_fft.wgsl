// convolve by overlap-save: a workgroup makes two blocks of outputs of one row and one mask, as the real and
// the imaginary parts of one product of spectra. Of long masks it adds up the products of all parts. Globals:
// THREADS (256), SEVERAL (whether masks have several parts), Scalar; params.items, params.pairs (of a row and
// a mask), params.hop (outputs of a block), params.parts, params.partTaps, params.masks, params.count,
// params.length, params.before; signal, output, scratch; fft_points, convolve_samples.

fn signalAt(at: u32) -> f32 {
  return signal[at];
}

fn turnAt(at: u32) -> vec2f {
  return scratch[at];
}

@each_workgroup(params.items)
fn main(item: u32, lane: u32) {
  let line = item / params.pairs;
  let row = line / params.masks;
  let begin = item % params.pairs * 2u * params.hop;
  let first = i32(begin) - params.before;
  let spectra = (line % params.masks * params.parts + 1u) * POINTS;
  var v: Points;
  if (SEVERAL) {
    var sum = Points();
    for (var part = 0u; part < params.parts; part++) {
      loadBoth(&v, row, first + i32(part * params.partTaps), lane);
      forth(&v, lane);
      for (var i = 0u; i < 16u; i++) {
        sum[i] += times(v[i], scratch[spectra + part * POINTS + i * 256u + lane]);
      }
    }
    for (var i = 0u; i < 16u; i++) {
      v[i] = sum[i].yx;
    }
  } else {
    loadBoth(&v, row, first, lane);
    forth(&v, lane);
    for (var i = 0u; i < 16u; i++) {
      v[i] = times(v[i], scratch[spectra + i * 256u + lane]).yx;
    }
  }
  back(&v, lane);
  for (var i = 0u; i < 16u; i++) {
    let at = i * 256u + lane;
    if (at < params.hop) {
      store(line, begin + at, v[i].y);
      store(line, begin + params.hop + at, v[i].x);
    }
  }
}

fn store(line: u32, o: u32, sum: f32) {
  if (o < params.length) {
    output[line * params.length + o] = sum;
  }
}

// The samples of both blocks. Those beyond the ends of the row go through workgroup memory, so that the loop
// that knows boundaries is short; a lane reads what it has written.
fn loadBoth(v: ptr<function, Points>, row: u32, first: i32, lane: u32) {
  let second = first + i32(params.hop);
  workgroupBarrier();
  if (first >= 0 && second + i32(POINTS) <= i32(params.count)) {
    let at = row * params.count + u32(first) + lane;
    for (var i = 0u; i < 16u; i++) {
      (*v)[i] = vec2f(signal[at + i * 256u], signal[at + params.hop + i * 256u]);
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
