// This snippet bounds the rank of a pair of rows by whole numbers. Entries become multiples of one power of
// two, 24 bits of them, and the sum of the squares of their differences is exact, in 64 bits.
//
// An entry x * scale is rounded by at most 1/2, which float32 holds, so that a difference D of two of them
// is some e, at most 1, away from the true one. The true sum of squares is that of D^2 and of e (2 D + e).
// The latter are summed in float32, which errs by (d + 8) 2^-23 of their magnitudes for d columns; float64
// errs by (d + 4) 2^-53 of the whole. Where nothing is lost, only the last is left.
//
// With ABSOLUTE the rank is the sum of |D + e|: of |D| and e with the sign of D, or |e| where D is 0. Bounds
// are then in units of 2^-16, which leaves them as close as those of squares.
//
// Globals: ABSOLUTE; params (depth, stride, fixedScale, fixedExponent); queries, refs (vec4u); added64,
// subtracted64; isBelow64.

struct Bounded {
  low: vec2u,
  high: vec2u,
}

// A block has this many columns, in vectors: sums of 26 bits each stay below 2^32.
const BLOCK: u32 = 16u;

fn boundsOfPair(query: u32, reference: u32) -> Bounded {
  var sum = vec2u();
  var lost = vec4f();
  var sizes = vec4f();
  for (var begin = 0u; begin < params.depth; begin += BLOCK) {
    var highs = vec4u();
    var crosses = vec4u();
    var lows = vec4u();
    for (var column = begin; column < min(params.depth, begin + BLOCK); column++) {
      let x = bitcast<vec4f>(refs[reference * params.stride + column]) * params.fixedScale;
      let q = bitcast<vec4f>(queries[query * params.stride + column]) * params.fixedScale;
      let wholeX = vec4i(round(x));
      let wholeQ = vec4i(round(q));
      let difference = wholeX - wholeQ;
      let rest = (x - vec4f(wholeX)) - (q - vec4f(wholeQ));
      var more = rest * (2.0 * vec4f(difference) + rest);
      let size = vec4u(abs(difference));
      if (ABSOLUTE) {
        let signs = vec4f(sign(difference));
        more = 0x1p+16 * select(signs * rest, abs(rest), difference == vec4i());
        lost += more;
        sizes += abs(more);
        lows += size;
        continue;
      }
      lost += more;
      sizes += abs(more);
      let high = size >> vec4u(13u);
      let low = size & vec4u(0x1fffu);
      highs += high * high;
      crosses += high * low;
      lows += low * low;
    }
    sum = added64(sum, moved(total(highs), 26u));
    sum = added64(sum, moved(total(crosses), 14u));
    var low = total(lows);
    if (ABSOLUTE) {
      low = moved(low, 16u);
    }
    sum = added64(sum, low);
  }
  let size = f32(sum.y) * 0x1p+32 + f32(sum.x);
  let columns = f32(4u * params.depth);
  let error = size * (columns + 4.0) * 0x1p-52 + 2.0 + (columns + 8.0) * 0x1p-22 * dot(sizes, vec4f(1.0));
  // A word may not hold it.
  let more = dot(lost, vec4f(1.0));
  let above = floor(abs(more) * 0x1p-32);
  let whole = vec2u(u32(abs(more) - above * 0x1p+32), u32(above));
  if (more > 0.0) {
    sum = added64(sum, whole);
  } else {
    sum = select(subtracted64(sum, whole), vec2u(), vec2<bool>(isBelow64(sum, whole)));
  }
  // The error is in units of 2^16, rounded up.
  let units = u32(error * 0x1.01p-16) + 1u;
  let half = vec2u(units << 16u, units >> 16u);
  let isSmall = isBelow64(sum, half);
  return Bounded(select(subtracted64(sum, half), vec2u(), vec2<bool>(isSmall)), added64(sum, half));
}

// Adds four words below 2^32 each.
fn total(four: vec4u) -> vec2u {
  return added64(
    added64(vec2u(four.x, 0u), vec2u(four.y, 0u)),
    added64(vec2u(four.z, 0u), vec2u(four.w, 0u)),
  );
}

fn moved(a: vec2u, by: u32) -> vec2u {
  return vec2u(a.x << by, (a.y << by) | (a.x >> (32u - by)));
}

// Returns the whole part of the bits of a float64 rank in the units of these bounds, and all bits set where
// it is larger than any.
fn wholeOf(rank: vec2u) -> vec2u {
  if (all(rank == vec2u())) {
    return rank;
  }
  let exponent = i32(rank.y >> 20u) - 1023 + params.fixedExponent;
  if (exponent > 63) {
    return vec2u(0xffffffffu);
  }
  if (exponent < 0) {
    return vec2u();
  }
  let number = unpacked64(rank).fraction;
  let by = u32(63 - exponent);
  if (by == 0u) {
    return number;
  }
  if (by < 32u) {
    return vec2u((number.x >> by) | (number.y << (32u - by)), number.y >> by);
  }
  return vec2u(number.y >> (by - 32u), 0u);
}
