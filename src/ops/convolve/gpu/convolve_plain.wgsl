// convolve, the plain way: a lane makes one output, and reads a sample from memory for each product.
// Globals: THREADS, CHECKED, Scalar; params.outputs, params.masks, params.length, params.taps, params.before;
// signal, output; convolve_samples, taps_*, sums_*.

fn signalAt(at: u32) -> Scalar {
  return signal[at];
}

@each_lane(params.outputs)
fn main(o: u32) {
  let item = o / params.length;
  let row = item / params.masks;
  let number = item % params.masks;
  let first = i32(o % params.length) - params.before;
  var sum = Scalar();
  var largest = 0u;
  for (var tap = 0u; tap < params.taps; tap++) {
    let x = sampleAt(row, first + i32(tap));
    largest = max(largest, magnitude(x));
    sum += tapAt(number, tap) * x;
  }
  output[o] = sum;
  if (isSuspect(largest)) {
    checkSum(o, row, number, first);
  }
}
