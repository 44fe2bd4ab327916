// Reads a tile of elements, and keeps those that begin a run: those that differ from the one before, except a
// NaN after a NaN.
// Globals: FLOAT, scan_tile, kept_tile, params.continued, params.count, input.

struct Tile {
  // Bit 4 * i + j is 1 where element j of vector i begins a run.
  kept: u32,
  elements: array<vec4u, VECTORS>,
}

fn loadTile(tile: u32, thread: u32) -> Tile {
  let first = tile * TILE_VECTORS + thread;
  var held: Tile;
  var before: array<u32, VECTORS>;
  for (var i = 0u; i < VECTORS; i++) {
    let at = first + i * THREADS;
    if (at * 4u < params.count) {
      held.elements[i] = input[at];
      before[i] = input[max(at, 1u) - 1u].w;
    }
  }
  for (var i = 0u; i < VECTORS; i++) {
    let at = first + i * THREADS;
    if (at * 4u < params.count) {
      held.kept |= (headsOf(at, held.elements[i], before[i]) & inside(at)) << (4u * i);
    }
  }
  return held;
}

fn headsOf(at: u32, here: vec4u, last: u32) -> u32 {
  let before = vec4u(last, here.xyz);
  var differ = here != before;
  if (FLOAT) {
    differ &= !(isNaN(here) & isNaN(before));
  }
  if (at == 0u) {
    differ.x = params.continued == 0u;
  }
  return dot(select(vec4u(), vec4u(1u, 2u, 4u, 8u), differ), vec4u(1u));
}

fn isNaN(bits: vec4u) -> vec4<bool> {
  return (bits & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
}
