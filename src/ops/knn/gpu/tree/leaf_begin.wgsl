// This snippet says where leaves begin: leaf i holds the points from floor(i * rows / 2^levels) on, so that
// the nodes of a level hold as many points each, as the cells of a level do where points are even.
// Globals: params (rows, levels).

fn leafBegin(leaf: u32) -> u32 {
  let a = vec2u(leaf & 0xffffu, leaf >> 16u);
  let b = vec2u(params.rows & 0xffffu, params.rows >> 16u);
  let least = a.x * b.x;
  let middle = vec2u(a.x * b.y, a.y * b.x);
  let carried = (least >> 16u) + (middle.x & 0xffffu) + (middle.y & 0xffffu);
  let low = (least & 0xffffu) | (carried << 16u);
  let high = a.y * b.y + (middle.x >> 16u) + (middle.y >> 16u) + (carried >> 16u);
  return select((low >> params.levels) | (high << (32u - params.levels)), low, params.levels == 0u);
}
