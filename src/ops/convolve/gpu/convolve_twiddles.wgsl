// Fills the table of twiddle factors of the scratch memory, which fft_points reads: number k * 256 + l is
// e^(-2 pi i k l / 4096), where k = 0 gives its place to those that are needed of 256 points. Each is the
// product of two from params.twiddles: 64 of multiples of 64 / 4096 of a turn, and 64 of multiples of
// 1 / 4096.
// Globals: THREADS; params.twiddles; scratch.

@each_lane(4096u)
fn main(at: u32) {
  let number = select(at / 256u * (at % 256u), at / 16u * (at % 16u) * 16u, at < 256u);
  let a = twiddleOf(number / 64u);
  let b = twiddleOf(64u + number % 64u);
  scratch[at] = vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

fn twiddleOf(at: u32) -> vec2f {
  let two = params.twiddles[at / 2u];
  return select(two.xy, two.zw, at % 2u == 1u);
}
