// This snippet transforms 4096 complex points, sixteen in each of 256 lanes: three times sixteen points in
// the registers of a lane, and in between an exchange through workgroup memory, the real parts first and then
// the imaginary ones. BOUND.md says how exact that is.
//
// A point's place before is lane + 256 * register. Spectra stay in the order in which they come out:
// frequency lane / 16 + 16 * (lane % 16) + 256 * register. Multiplying them needs no other, and `back` starts
// from it. Globals: twiddleAt (e^(-2 pi i k l / 4096) at k * 256 + l for 0 < k < 16 and l < 256, and
// e^(-2 pi i k l / 256) at k * 16 + l for k < 16 and l < 16).

const POINTS: u32 = 4096u;

alias Points = array<vec2f, 16>;

// Room for both parts would save half of the barriers, but takes a quarter longer.
var<workgroup> exchanged: array<f32, POINTS>;

fn forth(v: ptr<function, Points>, lane: u32) {
  transform(v);
  twiddle(v, 256u, lane);
  exchange(v, lane, BY_LANE, BY_ROW);
  transform(v);
  twiddle(v, 16u, lane % 16u);
  exchange(v, lane, BY_COLUMN, BY_POINT);
  transform(v);
}

// The inverse but for the factor of 4096, of points whose parts are exchanged: swapped, they are those of the
// conjugate times i, for which the same transforms are inverse ones.
fn back(v: ptr<function, Points>, lane: u32) {
  transform(v);
  exchange(v, lane, BY_POINT, BY_COLUMN);
  twiddle(v, 16u, lane % 16u);
  transform(v);
  exchange(v, lane, BY_ROW, BY_LANE);
  twiddle(v, 256u, lane);
  transform(v);
}

fn exchange(v: ptr<function, Points>, lane: u32, before: u32, after: u32) {
  workgroupBarrier();
  for (var i = 0u; i < 16u; i++) {
    exchanged[place(before, lane, i)] = (*v)[i].x;
  }
  workgroupBarrier();
  for (var i = 0u; i < 16u; i++) {
    (*v)[i].x = exchanged[place(after, lane, i)];
  }
  workgroupBarrier();
  for (var i = 0u; i < 16u; i++) {
    exchanged[place(before, lane, i)] = (*v)[i].y;
  }
  workgroupBarrier();
  for (var i = 0u; i < 16u; i++) {
    (*v)[i].y = exchanged[place(after, lane, i)];
  }
}

// Where point i of a lane lies. The first exchange is from point lane + 256 i to point 256 h + 16 i + l of
// lane 16 h + l, the second one from there to point 16 lane + i. Bits are turned over so that 32 lanes next
// to each other use as many banks, both before and after.
const BY_LANE: u32 = 0u;
const BY_ROW: u32 = 1u;
const BY_COLUMN: u32 = 2u;
const BY_POINT: u32 = 3u;

fn place(order: u32, lane: u32, i: u32) -> u32 {
  let odd = (i & 1u) * 16u;
  let parity = lane & 16u;
  switch (order) {
    case BY_LANE: {
      return (lane ^ odd) + 256u * i;
    }
    case BY_ROW: {
      return ((lane / 16u * 256u + lane % 16u + parity) ^ odd) + (i & 14u) * 16u;
    }
    case BY_COLUMN: {
      return ((lane / 16u * 256u + lane % 16u + parity) ^ (odd + i)) + (i & 14u) * 16u;
    }
    default: {
      return (lane * 16u + lane % 16u) ^ (i + parity);
    }
  }
}

fn twiddle(v: ptr<function, Points>, width: u32, at: u32) {
  for (var k = 1u; k < 16u; k++) {
    (*v)[k] = times((*v)[k], twiddleAt(k * width + at));
  }
}

fn times(a: vec2f, b: vec2f) -> vec2f {
  return vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

const COS: f32 = 0.92387953251128674;
const SIN: f32 = 0.38268343236508977;
const HALF: f32 = 0.70710678118654752;

// Sixteen points, as four times four.
fn transform(v: ptr<function, Points>) {
  fours(v, 0u, 4u, 8u, 12u);
  fours(v, 1u, 5u, 9u, 13u);
  fours(v, 2u, 6u, 10u, 14u);
  fours(v, 3u, 7u, 11u, 15u);
  (*v)[5] = times((*v)[5], vec2f(COS, -SIN));
  (*v)[6] = times((*v)[6], vec2f(HALF, -HALF));
  (*v)[7] = times((*v)[7], vec2f(SIN, -COS));
  (*v)[9] = times((*v)[9], vec2f(HALF, -HALF));
  (*v)[10] = vec2f((*v)[10].y, -(*v)[10].x);
  (*v)[11] = times((*v)[11], vec2f(-HALF, -HALF));
  (*v)[13] = times((*v)[13], vec2f(SIN, -COS));
  (*v)[14] = times((*v)[14], vec2f(-HALF, -HALF));
  (*v)[15] = times((*v)[15], vec2f(-COS, SIN));
  fours(v, 0u, 1u, 2u, 3u);
  fours(v, 4u, 5u, 6u, 7u);
  fours(v, 8u, 9u, 10u, 11u);
  fours(v, 12u, 13u, 14u, 15u);
  swap(v, 1u, 4u);
  swap(v, 2u, 8u);
  swap(v, 3u, 12u);
  swap(v, 6u, 9u);
  swap(v, 7u, 13u);
  swap(v, 11u, 14u);
}

fn fours(v: ptr<function, Points>, a: u32, b: u32, c: u32, d: u32) {
  let even = (*v)[a] + (*v)[c];
  let odd = (*v)[b] + (*v)[d];
  let left = (*v)[a] - (*v)[c];
  let right = vec2f((*v)[b].y - (*v)[d].y, (*v)[d].x - (*v)[b].x);
  (*v)[a] = even + odd;
  (*v)[b] = left + right;
  (*v)[c] = even - odd;
  (*v)[d] = left - right;
}

fn swap(v: ptr<function, Points>, a: u32, b: u32) {
  let other = (*v)[a];
  (*v)[a] = (*v)[b];
  (*v)[b] = other;
}
