// This kernel is one step of a bitonic sort over lists that lie in storage: it compares entries 2^stride
// apart, or with `mirrored` the two halves of every run of 2^(stride + 1), the first with the last and so on
// inwards. The smaller entry comes first, so that entries past the end of a list would not move.
//
// Globals: THREADS; params; scratch.

@each_workgroup(params.groups)
fn main(number: u32, lane: u32) {
  let pair = number % params.parts * THREADS + lane;
  let size = 1u << params.stride;
  let run = (pair >> params.stride) << (params.stride + 1u);
  let offset = pair & (size - 1u);
  let low = run + offset;
  let high = select(low + size, run + 2u * size - 1u - offset, params.mirrored == 1u);
  if (high >= params.length) {
    return;
  }
  let list = params.lists + number / params.parts * params.length;
  let a = scratch[list + low];
  let b = scratch[list + high];
  if (b.x < a.x || (b.x == a.x && b.y < a.y)) {
    scratch[list + low] = b;
    scratch[list + high] = a;
  }
}
