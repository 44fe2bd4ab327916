// This snippet adds the sixteen columns of a slab of distance_tile. They are added one after the other, not
// in a loop: compilers then keep the sums in registers and issue loads early.
// Globals: Sums; step.

fn steps(depth: u32, sums: ptr<function, Sums>) {
  step(0u, false, sums);
  step(1u, false, sums);
  step(2u, false, sums);
  step(3u, false, sums);
  step(4u, false, sums);
  step(5u, false, sums);
  step(6u, false, sums);
  step(7u, false, sums);
  step(8u, false, sums);
  step(9u, false, sums);
  step(10u, false, sums);
  step(11u, false, sums);
  step(12u, false, sums);
  step(13u, false, sums);
  step(14u, false, sums);
  step(15u, false, sums);
}
