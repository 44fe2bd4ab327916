// Transforms each part of each mask, turned round, since blocks are correlated with it, and divided by the
// number of points. A workgroup makes one spectrum. Globals: THREADS, Scalar; params.masks, params.parts (of
// a mask), params.partTaps, params.taps; mask, scratch (the twiddle factors, then the spectra); fft_points,
// convolve_samples, taps_storage.

fn signalAt(at: u32) -> f32 {
  return 0;
}

fn twiddleAt(at: u32) -> vec2f {
  return scratch[at];
}

@each_workgroup(params.masks * params.parts)
fn main(item: u32, lane: u32) {
  let begin = item % params.parts * params.partTaps;
  let end = min(begin + params.partTaps, params.taps);
  var v = Points();
  for (var i = 0u; i < 16u; i++) {
    let tap = begin + (POINTS - lane - 256u * i) % POINTS;
    if (tap < end) {
      v[i] = vec2f(tapAt(item / params.parts, tap) / f32(POINTS), 0);
    }
  }
  forth(&v, lane);
  for (var i = 0u; i < 16u; i++) {
    scratch[(item + 1u) * POINTS + i * 256u + lane] = v[i];
  }
}
