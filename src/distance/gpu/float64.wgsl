// This snippet sums squared differences of float32 as float64 computes them, in u32: every operation rounds
// to nearest, ties to even. A Float64 is not negative: fraction (y: high word) times 2^(exponent - 63), bit
// 63 set, the last 11 bits clear; or zero. No value here is subnormal or overflows in float64, since squares
// of float32 lie between 2^-298 and 2^256.
// Globals: none.

struct Float64 {
  fraction: vec2u,
  exponent: i32,
}

// This rounds what lies below the 53 bits that stay; bit 0 stands for all that was lost before.
fn rounded64(fraction: vec2u, exponent: i32) -> Float64 {
  let low = fraction.x + 0x3ffu + ((fraction.x >> 11u) & 1u);
  let high = fraction.y + select(0u, 1u, low < fraction.x);
  // Past 2^64 it is 2^64: the fraction was all ones.
  let over = high < fraction.y;
  return Float64(vec2u(low & ~0x7ffu, select(high, 0x80000000u, over)), exponent + select(0, 1, over));
}

// It shifts to the right; what falls off leaves bit 0 set.
fn shifted64(a: vec2u, by: u32) -> vec2u {
  if (by == 0u) {
    return a;
  }
  if (by < 32u) {
    let lost = a.x << (32u - by);
    return vec2u((a.x >> by) | (a.y << (32u - by)) | u32(lost != 0u), a.y >> by);
  }
  if (by < 64u) {
    let lost = a.x | select(a.y << (64u - by), 0u, by == 32u);
    return vec2u((a.y >> (by - 32u)) | u32(lost != 0u), 0u);
  }
  return vec2u(u32((a.x | a.y) != 0u), 0u);
}

fn added64(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + u32(low < a.x));
}

fn subtracted64(a: vec2u, b: vec2u) -> vec2u {
  return vec2u(a.x - b.x, a.y - b.y - u32(a.x < b.x));
}

// It returns two words, the low one in x.
fn product32(a: u32, b: u32) -> vec2u {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let first = (a & 0xffffu) * (b >> 16u) + (low >> 16u);
  let second = (a >> 16u) * (b & 0xffffu) + (first & 0xffffu);
  return vec2u((second << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u));
}

fn fractionOf(magnitude: u32) -> u32 {
  return select((magnitude & 0x7fffffu) | 0x800000u, magnitude, magnitude < 0x800000u);
}

// It returns |x - q| of the bits of two finite float32.
fn difference64(x: u32, q: u32) -> Float64 {
  let magnitudes = vec2u(x, q) & vec2u(0x7fffffffu);
  let large = max(magnitudes.x, magnitudes.y);
  let small = min(magnitudes.x, magnitudes.y);
  let exponents = max(vec2u(large, small) >> vec2u(23u), vec2u(1u));
  let a = vec2u(0u, fractionOf(large) << 7u);
  let b = shifted64(vec2u(0u, fractionOf(small) << 7u), exponents.x - exponents.y);
  var fraction = added64(a, b);
  if (((x ^ q) >> 31u) == 0u) {
    fraction = subtracted64(a, b);
  }
  if (all(fraction == vec2u())) {
    return Float64(vec2u(), 0);
  }
  // It moves the number to the top; a difference that loses many digits is short, so nothing is lost that was
  // shifted out before.
  var shift = countLeadingZeros(fraction.y);
  if (fraction.y == 0u) {
    shift = 32u + countLeadingZeros(fraction.x);
    fraction = vec2u(0u, fraction.x);
  }
  let by = shift & 31u;
  if (by > 0u) {
    fraction = vec2u(fraction.x << by, (fraction.y << by) | (fraction.x >> (32u - by)));
  }
  return rounded64(fraction, i32(exponents.x) - 126 - i32(shift));
}

// The number must not be zero.
fn square64(a: Float64) -> Float64 {
  var top = product32(a.fraction.y, a.fraction.y);
  var rest = 0u;
  var lost = 0u;
  if (a.fraction.x != 0u) {
    let middle = product32(a.fraction.y, a.fraction.x);
    let low = product32(a.fraction.x, a.fraction.x);
    rest = low.y + (middle.x << 1u);
    let twice = vec2u((middle.y << 1u) | (middle.x >> 31u), middle.y >> 31u);
    top = added64(added64(top, twice), vec2u(u32(rest < low.y), 0u));
    lost = low.x;
  }
  var exponent = 2 * a.exponent + 1;
  if ((top.y >> 31u) == 0u) {
    top = vec2u((top.x << 1u) | (rest >> 31u), (top.y << 1u) | (top.x >> 31u));
    rest <<= 1u;
    exponent--;
  }
  return rounded64(vec2u(top.x | u32((rest | lost) != 0u), top.y), exponent);
}

// `b` must not be zero.
fn sum64(a: Float64, b: Float64) -> Float64 {
  if (all(a.fraction == vec2u())) {
    return b;
  }
  var large = a;
  var small = b;
  if (a.exponent < b.exponent) {
    large = b;
    small = a;
  }
  let moved = shifted64(small.fraction, u32(large.exponent - small.exponent));
  var fraction = added64(large.fraction, moved);
  if (a.exponent == b.exponent || fraction.y < large.fraction.y) {
    fraction = vec2u(
      (fraction.x >> 1u) | (fraction.x & 1u) | (fraction.y << 31u),
      (fraction.y >> 1u) | 0x80000000u,
    );
    large.exponent++;
  }
  return rounded64(fraction, large.exponent);
}

// It adds to `sum` the square of the difference of the bits of two finite float32.
fn withSquare64(sum: Float64, x: u32, q: u32) -> Float64 {
  let difference = difference64(x, q);
  if (all(difference.fraction == vec2u())) {
    return sum;
  }
  return sum64(sum, square64(difference));
}

// It returns the bits of a float64, the low word in x.
fn packed64(a: Float64) -> vec2u {
  if (all(a.fraction == vec2u())) {
    return vec2u();
  }
  let high = ((a.fraction.y >> 11u) & 0xfffffu) | (u32(a.exponent + 1023) << 20u);
  return vec2u((a.fraction.x >> 11u) | (a.fraction.y << 21u), high);
}
