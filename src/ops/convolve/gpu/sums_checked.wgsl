// This snippet looks for sums of i32 that are no i32. It adds up digits of 16 bits, which is slow, so it is
// asked only where samples are larger than params.limit.
// Globals: params.taps, params.limit, status; sampleAt, tapAt.

fn isSuspect(largest: u32) -> bool {
  return largest > params.limit;
}

fn magnitude(x: i32) -> u32 {
  return u32(abs(x));
}

// Checks output o, whose first tap meets the sample at `first`.
fn checkSum(o: u32, row: u32, mask: u32, first: i32) {
  // The sum is digits.x + 2^16 digits.y + 2^32 digits.z + 2^48 digits.w.
  var digits = vec4i();
  for (var tap = 0u; tap < params.taps; tap++) {
    let x = sampleAt(row, first + i32(tap));
    let w = tapAt(mask, tap);
    let low = (x & 0xffff) * (w & 0xffff);
    let left = (x >> 16u) * (w & 0xffff);
    let right = (x & 0xffff) * (w >> 16u);
    let high = (x >> 16u) * (w >> 16u);
    digits += vec4i(
      low & 0xffff,
      ((low >> 16u) & 0xffff) + (left & 0xffff) + (right & 0xffff),
      (left >> 16u) + (right >> 16u) + (high & 0xffff),
      high >> 16u,
    );
    if ((tap & 0xfffu) == 0xfffu) {
      digits = carried(digits);
    }
  }
  digits = carried(digits);
  let upper = select(0, -1, (digits.y & 0x8000) != 0);
  if (digits.z != (upper & 0xffff) || digits.w != upper) {
    atomicMax(&status, 0xffffffffu - o);
  }
}

// The same number, with all digits but the last below 2^16.
fn carried(given: vec4i) -> vec4i {
  var digits = given;
  digits.y += digits.x >> 16u;
  digits.z += digits.y >> 16u;
  digits.w += digits.z >> 16u;
  return vec4i(digits.xyz & vec3i(0xffff), digits.w);
}
