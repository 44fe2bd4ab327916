// This pass of knn.order makes distances of the keys of float32 values that it has put in order: the bits of
// value * 2^rankExponent in float64, or of its square root; of zero, where rounding left a value below it. It
// works on words, since a device may take small float32 values for zero. One lane takes one neighbour.
//
// Globals: THREADS; ROOT; params; heads, nearDistances (a key in y); bitsOfKey (ordered_key); rootOf
// (root64).

@each_lane(params.queryRows * params.k)
fn main(number: u32) {
  let at = params.queryBegin * params.k + number;
  // Of a list that overflowed the first distance is its count.
  if (heads[at / params.k].x <= params.capacity) {
    nearDistances[at] = distanceOf(bitsOfKey(nearDistances[at].y));
  }
}

fn distanceOf(bits: u32) -> vec2u {
  if (i32(bits) <= 0) {
    return vec2u();
  }
  var fraction = bits & 0x7fffffu;
  var exponent = i32(bits >> 23u);
  if (exponent == 255) {
    return vec2u(fraction << 29u, 0x7ff00000u | (fraction >> 3u));
  }
  if (exponent == 0) {
    let by = countLeadingZeros(fraction) - 8u;
    fraction = (fraction << by) & 0x7fffffu;
    exponent = 1 - i32(by);
  }
  let high = u32(exponent + 896 + params.rankExponent) << 20u;
  let rank = vec2u(fraction << 29u, high | (fraction >> 3u));
  if (ROOT) {
    return rootOf(rank);
  }
  return rank;
}
