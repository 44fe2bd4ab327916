// Reads a tile of a scan from the input.
// Globals: Value, identity (combine_*), valuesOf (value_*), scan_tile, params.count, input.

fn loadTile(place: Place) -> Four {
  let at = place.first;
  if ((at + 3u * place.size) * 4u + 4u <= params.count) {
    return Four(
      valuesOf(input[at]),
      valuesOf(input[at + place.size]),
      valuesOf(input[at + 2u * place.size]),
      valuesOf(input[at + 3u * place.size]),
    );
  }
  return Four(
    loadSome(at),
    loadSome(at + place.size),
    loadSome(at + 2u * place.size),
    loadSome(at + 3u * place.size),
  );
}

// Past the end there is nothing.
fn loadSome(at: u32) -> vec4<Value> {
  let nothing = vec4<Value>(identity());
  if (at * 4u >= params.count) {
    return nothing;
  }
  return select(nothing, valuesOf(input[at]), vec4u(at * 4u) + vec4u(0u, 1u, 2u, 3u) < vec4u(params.count));
}
