// This snippet says where the words of a sort's scratch are (layout.ts), which its kernels all use through
// atomics. Each digit has a ticket and a flag for when somebody gave up; a route, which is 0 where all keys
// have the same digit, else says from where to where keys go; and 256 counters, which become places. Behind
// them are 256 words for each tile. Globals: none.

const TICKETS: u32 = 0u;
const GAVE_UP: u32 = 8u;
const ROUTES: u32 = 16u;
const COUNTS: u32 = 32u;
const TILES: u32 = 2112u;

const IS_TAKEN: u32 = 1u;

// 0 the input, 1 scratch, 2 the output.
fn sourceOf(route: u32) -> u32 {
  return (route >> 1u) & 3u;
}

fn sinkOf(route: u32) -> u32 {
  return (route >> 3u) & 3u;
}

// Whether an odd number of digits came before, by which the marks of tiles are told from those of the digit
// before.
fn isOdd(route: u32) -> u32 {
  return (route >> 5u) & 1u;
}
