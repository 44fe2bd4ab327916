// This kernel quantizes rows to bytes: entry x becomes the whole number nearest to (x - centre) / scale,
// within -127 and 127, four to a word. Where rows are turned, it first multiplies each 16 entries by a
// Hadamard matrix with signs, which evens out entries that are far larger than others and changes no
// distance. ROW_LANES lanes share a row, 16 entries at a time. Behind the bytes each row leaves
// its facts, in words. They are its squared length in bytes; the length of what quantizing took, in steps of
// the scale, rounded up; and, likewise, the root of what the row adds to twice the half-width of an interval.
// The proof is in distance/bound/bytes.ts.
//
// Globals: THREADS, ROW_LANES; params (count, first, depth, stride: in vec4f; words, bytes, facts: in words
// of `quantized`; turned: 1 where rows are turned; scale, inverse, most: the largest entry that is not cut
// off; factor, constant, lost, enlarge); byteCentre; rowsAt; quantized.

// Beyond this many steps nothing is ruled out.
const FAR: f32 = 65536.0;
const UP: f32 = 1.0 + 0x1p-18;
// So many words are turned together.
const BLOCK: u32 = 4u;

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
    for (var block = first; block < params.words / BLOCK; block += ROW_LANES) {
      var moved: array<vec4f, BLOCK>;
      for (var i = 0u; i < BLOCK; i++) {
        let word = block * BLOCK + i;
        if (word < params.depth) {
          let entries = rowsAt((params.first + row) * params.stride + word);
          moved[i] = entries - byteCentre[word];
          square += dot(entries, entries);
          spread += dot(moved[i], moved[i]);
        }
      }
      if (params.turned != 0u) {
        moved = turn(moved, block);
      }
      for (var i = 0u; i < BLOCK; i++) {
        let steps = round(clamp(moved[i], vec4f(-params.most), vec4f(params.most)) * params.inverse);
        let rest = fma(vec4f(-params.scale), steps, moved[i]);
        let bytes = vec4i(steps);
        let low = vec4u(bytes) & vec4u(255u);
        quantized[params.bytes + row * params.words + block * BLOCK + i] =
          low.x | (low.y << 8u) | (low.z << 16u) | (low.w << 24u);
        loss += dot(rest, rest);
        length += dot(bytes, bytes);
      }
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
    // Moving rounds each entry, and so does adding up those that are turned, in any order.
    let rounding = 0x1p-17 * sqrt((spreads[lane] + params.lost) * params.enlarge);
    quantized[at + 1u] = stepsOf(sqrt((losses[lane] + params.lost) * params.enlarge) + rounding);
    let own = params.factor * (squares[lane] + params.lost) * params.enlarge + params.constant;
    quantized[at + 2u] = stepsOf(sqrt(own));
    quantized[at + 3u] = 0u;
  }
}

fn stepsOf(length: f32) -> u32 {
  return bitcast<u32>(min(length, FAR * params.scale) * params.inverse * UP);
}

// Returns 16 entries times a Hadamard matrix divided by 4, whose columns have the signs of a block.
fn turn(entries: array<vec4f, BLOCK>, block: u32) -> array<vec4f, BLOCK> {
  let signs = ((block + 1u) * 0x9e3779b9u) >> 16u;
  var v = entries;
  for (var i = 0u; i < BLOCK; i++) {
    let bits = vec4u(signs) >> (vec4u(4u * i) + vec4u(0u, 1u, 2u, 3u));
    let x = select(v[i], -v[i], (bits & vec4u(1u)) != vec4u());
    let pairs = vec4f(x.xz + x.yw, x.xz - x.yw);
    v[i] = 0.25 * vec4f(pairs.xz + pairs.yw, pairs.xz - pairs.yw);
  }
  let a = array<vec4f, BLOCK>(v[0] + v[1], v[0] - v[1], v[2] + v[3], v[2] - v[3]);
  return array<vec4f, BLOCK>(a[0] + a[2], a[1] + a[3], a[0] - a[2], a[1] - a[3]);
}
