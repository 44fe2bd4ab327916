// The second pass of distances.thresholds makes the thresholds of queries, one lane each, from the edges that
// float64 gives: min + i * (max - min) / bins. A value is at or above a threshold exactly where its distance
// is at or above the edge. At the last threshold it is one whose distance is above the largest one.
//
// Globals: THREADS, EXACT, ROOT; params; bounds; thresholds; keyOfBits; the functions of positive64.

// Nothing reaches this threshold.
const NEVER = 0xffffffffu;
// Float32 guesses bins where that errs by a few bins at most.
const GUIDED: f32 = 0x1p+24;

@each_lane(params.queryRows * (params.bins + 1u))
fn main(number: u32) {
  let query = number / (params.bins + 1u);
  let i = number % (params.bins + 1u);
  let least = unpacked64(bounds[query * 4u]);
  let most = unpacked64(bounds[query * 4u + 1u]);
  let width = unpacked64(bounds[query * 4u + 2u]);
  let row = query * params.rowWords;
  if (i == 0u) {
    writeGuide(row, least, most, width);
  }
  var key = NEVER;
  var rank = vec2u(NEVER);
  if (bounds[query * 4u + 3u].x != 0u) {
    let last = above(most);
    var own = last;
    if (i == 0u) {
      own = atLeast(least);
    } else if (i < params.bins && !isZero64(width)) {
      own = atLeast(edgeOf(i, least, width));
      if (isBelow64(last.rank, own.rank)) {
        own = last;
      }
    }
    key = own.key;
    rank = own.rank;
  }
  thresholds[row + 4u + i] = key;
  if (EXACT) {
    let at = row + 5u + params.bins + 2u * i;
    thresholds[at] = rank.x;
    thresholds[at + 1u] = rank.y;
  }
}

struct Threshold {
  // These are the bits of the float64 rank; `key` is that of the least float32 value that is not below it.
  rank: vec2u,
  key: u32,
}

fn edgeOf(i: u32, least: Float64, width: Float64) -> Float64 {
  let moved = over64(times64(width, i), params.bins);
  if (isZero64(moved)) {
    return least;
  }
  return sum64(least, moved);
}

fn atLeast(distance: Float64) -> Threshold {
  if (isZero64(distance)) {
    return Threshold(vec2u(), keyOfBits(0u));
  }
  var rank = distance;
  if (ROOT) {
    rank = leastWithRoot64(distance);
  }
  return Threshold(packed64(rank), keyOfBits(narrowed64(rank, -params.rankExponent)));
}

fn above(distance: Float64) -> Threshold {
  if (isZero64(distance)) {
    return Threshold(vec2u(1u, 0u), keyOfBits(1u));
  }
  return atLeast(next64(distance));
}

// Writes the numbers by which a value's bin is guessed, (root of value - base) * scale, whether it may be,
// and the guard of such a place (slots.wgsl).
//
// With u = 2^-23, WGSL's root errs by 5 u, that of v * inverseSqrt(v) by less; base, rounded, by u; scale by
// u of the width and 2.5 u of the division; offset and fma by u each, of numbers up to scale * most. So no
// place is off by 15 u (scale * most + 1), where 1 stands for a bin beyond the last edge. What float64 rounds
// is far below the sixteenth.
fn writeGuide(row: u32, least: Float64, most: Float64, width: Float64) {
  let exponent = select(-params.rankExponent, -params.rankExponent / 2, ROOT);
  if (isZero64(width)) {
    // All distances are in the first bin.
    thresholds[row] = 0u;
    thresholds[row + 1u] = 0u;
    thresholds[row + 2u] = 1u;
    thresholds[row + 3u] = bitcast<u32>(-1.0f);
    return;
  }
  let base = roughly(least, exponent);
  let scale = f32(params.bins) / max(roughly(width, exponent), 0x1p-126);
  let reach = roughly(most, exponent) * scale;
  let isGuided = roughly(width, exponent) > 0x1p-100 && scale < 0x1p+100 && reach < GUIDED;
  thresholds[row] = select(0u, bitcast<u32>(base), isGuided);
  thresholds[row + 1u] = select(0u, bitcast<u32>(scale), isGuided);
  thresholds[row + 2u] = u32(isGuided);
  thresholds[row + 3u] = bitcast<u32>(select(1.0, 0x1p-19 * (reach + 1.0), isGuided));
}

fn roughly(a: Float64, scale: i32) -> f32 {
  return bitcast<f32>(min(narrowed64(a, scale), 0x7f000000u));
}
