// This kernel quantizes rows to bytes: entry x becomes the whole number nearest to (x - centre) / scale,
// within -127 and 127, four to a word. ROW_LANES lanes share a row. Behind the bytes each row leaves its
// facts, in words. They are its squared length in bytes; the length of what quantizing took, in steps of the
// scale, rounded up; and, likewise, the root of what the row adds to twice the half-width of an interval. The
// proof is in distance/bound/bytes.ts.
//
// Globals: THREADS, ROW_LANES; params (count, first, depth, stride: in vec4f; words, bytes, facts: in words
// of `quantized`; scale, inverse, most: the largest entry that is not cut off; factor, constant, lost,
// enlarge); byteCentre; rowsAt; quantized.

// Beyond this many steps nothing is ruled out.
const FAR: f32 = 65536.0;
const UP: f32 = 1.0 + 0x1p-18;

var<workgroup> squares: array<f32, THREADS>;
var<workgroup> losses: array<f32, THREADS>;
var<workgroup> spreads: array<f32, THREADS>;
var<workgroup> lengths: array<i32, THREADS>;

@each_workgroup
fn main(number: u32, lane: u32) {
  let row = number * (THREADS / ROW_LANES) + lane / ROW_LANES;
  let first = lane % ROW_LANES;
  var square = 0.0;
  var loss = 0.0;
  var spread = 0.0;
  var length = 0;
  if (row < params.count) {
    for (var word = first; word < params.words; word += ROW_LANES) {
      var entries = vec4f();
      if (word < params.depth) {
        entries = rowsAt((params.first + row) * params.stride + word);
      }
      let moved = select(vec4f(), entries - byteCentre[min(word, params.depth - 1u)], word < params.depth);
      let steps = round(clamp(moved, vec4f(-params.most), vec4f(params.most)) * params.inverse);
      let rest = fma(vec4f(-params.scale), steps, moved);
      let bytes = vec4i(steps);
      let low = vec4u(bytes) & vec4u(255u);
      quantized[params.bytes + row * params.words + word] =
        low.x | (low.y << 8u) | (low.z << 16u) | (low.w << 24u);
      square += dot(entries, entries);
      loss += dot(rest, rest);
      spread += dot(moved, moved);
      length += dot(bytes, bytes);
    }
  }
  squares[lane] = square;
  losses[lane] = loss;
  spreads[lane] = spread;
  lengths[lane] = length;
  for (var half = ROW_LANES / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (first < half) {
      squares[lane] += squares[lane + half];
      losses[lane] += losses[lane + half];
      spreads[lane] += spreads[lane + half];
      lengths[lane] += lengths[lane + half];
    }
  }
  if (first == 0u && row < params.count) {
    let at = params.facts + 4u * row;
    quantized[at] = u32(lengths[lane]);
    // Moving rounds each entry.
    let rounding = 0x1p-22 * sqrt((spreads[lane] + params.lost) * params.enlarge);
    quantized[at + 1u] = stepsOf(sqrt((losses[lane] + params.lost) * params.enlarge) + rounding);
    let own = params.factor * (squares[lane] + params.lost) * params.enlarge + params.constant;
    quantized[at + 2u] = stepsOf(sqrt(own));
    quantized[at + 3u] = 0u;
  }
}

fn stepsOf(length: f32) -> u32 {
  return bitcast<u32>(min(length, FAR * params.scale) * params.inverse * UP);
}
