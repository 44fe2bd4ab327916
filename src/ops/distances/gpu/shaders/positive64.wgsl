// This snippet computes with numbers that are not negative as float64 does, in u32: every operation rounds
// to nearest, ties to even. It adds to float64.wgsl what edges of bins are made of. No number here is
// subnormal or overflows, and integers that others are multiplied with or divided by lie between 1 and
// 2^16. Globals: Float64, rounded64, shifted64, added64, subtracted64, product32 (float64).

fn isZero64(a: Float64) -> bool {
  return all(a.fraction == vec2u());
}

// It reads the bits of a float64, the low word in x.
fn unpacked64(bits: vec2u) -> Float64 {
  if (all(bits == vec2u())) {
    return Float64(vec2u(), 0);
  }
  let high = (bits.y & 0xfffffu) | 0x100000u;
  return Float64(vec2u(bits.x << 11u, (high << 11u) | (bits.x >> 21u)), i32(bits.y >> 20u) - 1023);
}

// It reads the bits of a float32 that is not negative, times 2^scale.
fn widened64(bits: u32, scale: i32) -> Float64 {
  if (bits == 0u) {
    return Float64(vec2u(), 0);
  }
  if (bits < 0x800000u) {
    let zeros = countLeadingZeros(bits);
    return Float64(vec2u(0u, bits << zeros), scale - 118 - i32(zeros));
  }
  return Float64(vec2u(0u, (bits << 8u) | 0x80000000u), i32(bits >> 23u) - 127 + scale);
}

// It returns the bits of the least float32 that is not below a * 2^scale.
fn narrowed64(a: Float64, scale: i32) -> u32 {
  if (isZero64(a)) {
    return 0u;
  }
  let exponent = a.exponent + scale + 127;
  if (exponent >= 255) {
    return 0x7f800000u;
  }
  let fraction = a.fraction.y >> 8u;
  let lost = u32(((a.fraction.y & 0xffu) | a.fraction.x) != 0u);
  if (exponent >= 1) {
    return ((u32(exponent) << 23u) | (fraction & 0x7fffffu)) + lost;
  }
  let by = u32(1 - exponent);
  if (by > 24u) {
    return 1u;
  }
  let kept = fraction >> by;
  return kept + max(lost, u32((kept << by) != fraction));
}

fn normalised64(fraction: vec2u, exponent: i32) -> Float64 {
  if (all(fraction == vec2u())) {
    return Float64(vec2u(), 0);
  }
  var zeros = countLeadingZeros(fraction.y);
  var moved = fraction;
  if (fraction.y == 0u) {
    zeros = 32u + countLeadingZeros(fraction.x);
    moved = vec2u(0u, fraction.x);
  }
  let by = zeros & 31u;
  if (by > 0u) {
    moved = vec2u(moved.x << by, (moved.y << by) | (moved.x >> (32u - by)));
  }
  return rounded64(moved, exponent - i32(zeros));
}

// `b` must not be larger than `a`.
fn minus64(a: Float64, b: Float64) -> Float64 {
  if (isZero64(b)) {
    return a;
  }
  let moved = shifted64(b.fraction, u32(a.exponent - b.exponent));
  return normalised64(subtracted64(a.fraction, moved), a.exponent);
}

// It rounds a number of three words times 2^(exponent - 63); the highest word, z, is not zero.
fn rounded96(words: vec3u, exponent: i32) -> Float64 {
  let zeros = countLeadingZeros(words.z);
  if (zeros == 0u) {
    return rounded64(vec2u(words.y | u32(words.x != 0u), words.z), exponent + 32);
  }
  let back = 32u - zeros;
  let high = (words.z << zeros) | (words.y >> back);
  let low = (words.y << zeros) | (words.x >> back);
  return rounded64(vec2u(low | u32((words.x << zeros) != 0u), high), exponent + 32 - i32(zeros));
}

fn times64(a: Float64, n: u32) -> Float64 {
  if (isZero64(a)) {
    return a;
  }
  let low = product32(a.fraction.x, n);
  let high = product32(a.fraction.y, n);
  let middle = low.y + high.x;
  let top = high.y + u32(middle < low.y);
  if (top == 0u) {
    return rounded64(vec2u(low.x, middle), a.exponent);
  }
  return rounded96(vec3u(low.x, middle, top), a.exponent);
}

// It divides digit by digit, of 16 bits each.
fn over64(a: Float64, n: u32) -> Float64 {
  if (isZero64(a)) {
    return a;
  }
  let digits = array<u32, 6>(
    a.fraction.y >> 16u,
    a.fraction.y & 0xffffu,
    a.fraction.x >> 16u,
    a.fraction.x & 0xffffu,
    0u,
    0u,
  );
  var quotient = array<u32, 6>();
  var rest = 0u;
  for (var i = 0u; i < 6u; i++) {
    let dividend = (rest << 16u) | digits[i];
    quotient[i] = dividend / n;
    rest = dividend % n;
  }
  let words = vec3u(
    (quotient[4] << 16u) | quotient[5] | u32(rest != 0u),
    (quotient[2] << 16u) | quotient[3],
    (quotient[0] << 16u) | quotient[1],
  );
  return rounded96(words, a.exponent - 32);
}

// It finds a bit of the root after the other, two of the number at a time.
fn root64(a: Float64) -> Float64 {
  if (isZero64(a)) {
    return a;
  }
  // The number is `whole`, of 54 bits at most, times 2^even.
  var whole = vec2u((a.fraction.x >> 11u) | (a.fraction.y << 21u), a.fraction.y >> 11u);
  var even = a.exponent - 52;
  if ((even & 1) != 0) {
    whole = vec2u(whole.x << 1u, (whole.y << 1u) | (whole.x >> 31u));
    even--;
  }
  var rest = vec2u();
  var root = vec2u();
  for (var i = 0u; i < 55u; i++) {
    // Bits 53 and 52 come next, later those below, later zeros.
    let two = (whole.y >> 20u) & 3u;
    whole = vec2u(whole.x << 2u, (whole.y << 2u) | (whole.x >> 30u));
    rest = vec2u((rest.x << 2u) | two, (rest.y << 2u) | (rest.x >> 30u));
    let trial = vec2u((root.x << 2u) | 1u, (root.y << 2u) | (root.x >> 30u));
    root = vec2u(root.x << 1u, (root.y << 1u) | (root.x >> 31u));
    if (trial.y < rest.y || (trial.y == rest.y && trial.x <= rest.x)) {
      rest = subtracted64(rest, trial);
      root.x |= 1u;
    }
  }
  let fraction = vec2u(root.x << 9u, (root.y << 9u) | (root.x >> 23u));
  return rounded64(vec2u(fraction.x | u32(any(rest != vec2u())), fraction.y), even / 2 + 26);
}

// It returns the next larger float64; `a` must not be zero.
fn next64(a: Float64) -> Float64 {
  let fraction = added64(a.fraction, vec2u(0x800u, 0u));
  if (all(fraction == vec2u())) {
    return Float64(vec2u(0u, 0x80000000u), a.exponent + 1);
  }
  return Float64(fraction, a.exponent);
}

// It returns the least float64 whose root, rounded, is at least `a`, which must not be zero: the next one
// after the square of what lies in the middle between `a` and the float64 before it. No root is that middle
// and no float64 its square, which has too many digits.
fn leastWithRoot64(a: Float64) -> Float64 {
  let isPower = a.fraction.x == 0u && a.fraction.y == 0x80000000u;
  let p = subtracted64(a.fraction, vec2u(select(0x400u, 0x200u, isPower), 0u));
  let low = product32(p.x, p.x);
  let cross = product32(p.x, p.y);
  let high = product32(p.y, p.y);
  let second = low.y + (cross.x << 1u);
  let carry = u32(second < low.y);
  let twice = vec2u((cross.y << 1u) | (cross.x >> 31u), cross.y >> 31u);
  let top = added64(added64(high, twice), vec2u(carry, 0u));
  let zeros = countLeadingZeros(top.y);
  var fraction = top;
  if (zeros > 0u) {
    fraction = vec2u((top.x << zeros) | (second >> (32u - zeros)), (top.y << zeros) | (top.x >> (32u - zeros)));
  }
  let below = Float64(vec2u(fraction.x & ~0x7ffu, fraction.y), 2 * a.exponent + 1 - i32(zeros));
  return next64(below);
}

// It compares the bits of two numbers.
fn isBelow64(a: vec2u, b: vec2u) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}
