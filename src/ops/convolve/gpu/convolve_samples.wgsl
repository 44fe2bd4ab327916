// This snippet has the samples of a row by their places, and the taps of a mask. Beyond the ends of a row the
// boundary says what is there, by the rules of numpy.pad, as in ops/convolve/samples.ts. Globals: Scalar;
// params.count, params.taps, params.flip, params.boundary (its number), params.fill; signalAt.

fn sampleAt(row: u32, at: i32) -> Scalar {
  let place = placeOf(at);
  if (place < 0) {
    return params.fill;
  }
  return signalAt(row * params.count + u32(place));
}

fn placeOf(at: i32) -> i32 {
  let count = i32(params.count);
  if (at >= 0 && at < count) {
    return at;
  }
  switch (params.boundary) {
    case 1u: {
      let place = modulo(at, max(2 * count - 2, 1));
      return select(2 * count - 2 - place, place, place < count);
    }
    case 2u: {
      let place = modulo(at, 2 * count);
      return select(2 * count - 1 - place, place, place < count);
    }
    case 3u: {
      return clamp(at, 0, count - 1);
    }
    case 4u: {
      return modulo(at, count);
    }
    default: {
      return -1;
    }
  }
}

fn modulo(a: i32, b: i32) -> i32 {
  let rest = a % b;
  return select(rest, rest + b, rest < 0);
}

fn tapIndex(mask: u32, tap: u32) -> u32 {
  return mask * params.taps + select(tap, params.taps - 1u - tap, params.flip == 1u);
}
