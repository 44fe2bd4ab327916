// This snippet says where the words of a sort's scratch are (layout.ts), which its kernels all use through
// atomics. Each digit has a ticket and a flag for when somebody gave up; a route, which is 0 where all keys
// have the same digit, else says from where to where keys go; and 256 counters, which become places. Behind
// them are 256 words for each tile. Globals: none.

const TICKETS: u32 = 0u;
const GAVE_UP: u32 = 8u;
const ROUTES: u32 = 16u;
const COUNTS: u32 = 32u;
const TILES: u32 = 2112u;

// It says where keys come from: 0 the input, 1 scratch, 2 the output.
fn sourceOf(route: u32) -> u32 {
  return route & 3u;
}

// It says where keys go, which is never the input, so that the route of a digit that moves them is not 0.
fn sinkOf(route: u32) -> u32 {
  return (route >> 2u) & 3u;
}

// Whether an odd number of digits came before, by which the marks of tiles are told from those of the digit
// before.
fn isOdd(route: u32) -> u32 {
  return route >> 4u;
}
