// The only pass of distances.whole makes whole numbers of 24 bits of rows, and the metas that intervals of
// distances_whole need. ROW_LANES lanes share a row. The proof is in plan/whole.ts.
//
// Globals: THREADS, ROW_LANES; params (count; depth: vectors of a row; scale; offset: of whole numbers;
// unit; constant); rows; whole, metas.

// Signed bytes are bytes less 128: a number is the unsigned one less this.
const MIDDLE: i32 = 0x808080;
const MOST: i32 = 0xffffff;
// No entry is as large; this bound keeps numbers whole.
const FAR: f32 = 0x1p25;

// These hold the squared length, in two words; the squares of the bytes that are left out; what rounding has
// lost.
var<workgroup> lengths: array<vec2u, THREADS>;
var<workgroup> rests: array<u32, THREADS>;
var<workgroup> losses: array<f32, THREADS>;

@each_workgroup
fn main(number: u32, lane: u32) {
  let row = number * (THREADS / ROW_LANES) + lane / ROW_LANES;
  let first = lane % ROW_LANES;
  var highs = vec4u();
  var crosses = vec4u();
  var lows = vec4u();
  var rest = 0;
  var loss = 0.0;
  if (row < params.count) {
    for (var vector = first; vector < params.depth; vector += ROW_LANES) {
      let x = clamp(rows[row * params.depth + vector] * params.scale, vec4f(-FAR), vec4f(FAR));
      let near = vec4i(round(x));
      let moved = near + params.offset;
      let four = clamp(moved, vec4i(), vec4i(MOST));
      let off = abs(x - vec4f(near)) + vec4f(abs(moved - four));
      loss += dot(off, off);
      let size = vec4u(abs(four - MIDDLE));
      let high = size >> vec4u(12u);
      let low = size & vec4u(0xfffu);
      highs += high * high;
      crosses += high * low;
      lows += low * low;
      let b = ((four >> vec4u(8u)) & vec4i(255)) - 128;
      let c = (four & vec4i(255)) - 128;
      rest += dot(b, b) + dot(c, c);
      let bits = vec4u(four);
      whole[row * params.depth + vector] =
        vec4u(packed(bits >> vec4u(16u)), packed(bits >> vec4u(8u)), packed(bits), 0u);
    }
  }
  lengths[lane] = plus(
    plus(moved64(total(highs), 24u), moved64(total(crosses), 13u)),
    total(lows),
  );
  rests[lane] = u32(rest);
  losses[lane] = loss;
  for (var half = ROW_LANES / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (first < half) {
      lengths[lane] = plus(lengths[lane], lengths[lane + half]);
      rests[lane] += rests[lane + half];
      losses[lane] += losses[lane + half];
    }
  }
  if (first == 0u && row < params.count) {
    let length = lengths[lane];
    metas[row] = vec4f(
      f32(length.y >> 1u),
      sqrt(f32(rests[lane]) * 520.0) * params.unit,
      (losses[lane] * 0x1.04p25 + params.constant) * params.unit * params.unit,
      f32(((length.y << 15u) | (length.x >> 17u)) & 0xffffu),
    );
  }
}

// Packs four bytes into a word, each less 128.
fn packed(four: vec4u) -> u32 {
  let bytes = four & vec4u(255u);
  return (bytes.x | (bytes.y << 8u) | (bytes.z << 16u) | (bytes.w << 24u)) ^ 0x80808080u;
}

fn total(four: vec4u) -> vec2u {
  return plus(plus(vec2u(four.x, 0u), vec2u(four.y, 0u)), plus(vec2u(four.z, 0u), vec2u(four.w, 0u)));
}

fn plus(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + u32(low < a.x));
}

fn moved64(a: vec2u, by: u32) -> vec2u {
  return vec2u(a.x << by, (a.y << by) | (a.x >> (32u - by)));
}
