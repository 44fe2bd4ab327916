// This snippet reads a tile of a scan from the input.
// Globals: Value, heldOf, nothing, sumOfHeld, isNumber, onlyNumbers (scan_plain or the caller's own),
// scan_tile, params.count, input.

alias Tile = array<vec4<Value>, VECTORS>;

fn loadTile(tile: u32, thread: u32) -> Tile {
  let first = tile * TILE_VECTORS + thread;
  var held: Tile;
  if ((tile + 1u) * TILE_VECTORS * 4u <= params.count) {
    for (var i = 0u; i < VECTORS; i++) {
      held[i] = heldOf(input[first + i * THREADS]);
    }
  } else {
    for (var i = 0u; i < VECTORS; i++) {
      held[i] = loadSome(first + i * THREADS);
    }
  }
  return held;
}

// Past the end there is nothing.
fn loadSome(at: u32) -> vec4<Value> {
  if (at * 4u >= params.count) {
    return nothing();
  }
  return select(nothing(), heldOf(input[at]), vec4u(at * 4u) + vec4u(0u, 1u, 2u, 3u) < vec4u(params.count));
}

// Each vector comes to one sum. An element that is no number leaves a vector where it might hide the numbers.
fn vectorSums(held: ptr<function, Tile>) -> array<Value, VECTORS> {
  var sums: array<Value, VECTORS>;
  for (var i = 0u; i < VECTORS; i++) {
    sums[i] = sumOfHeld((*held)[i]);
    if (!isNumber(sums[i])) {
      (*held)[i] = onlyNumbers((*held)[i]);
      sums[i] = sumOfHeld((*held)[i]);
    }
  }
  return sums;
}
