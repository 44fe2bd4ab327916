// Reads a tile of compact: 1 for each element that is kept, 0 for the others and past the end.
// Globals: scan_tile, flagsAt (flags_*, heads), params.count.

fn loadTile(place: Place) -> Four {
  let at = place.first;
  return Four(
    loadSome(at),
    loadSome(at + place.size),
    loadSome(at + 2u * place.size),
    loadSome(at + 3u * place.size),
  );
}

fn loadSome(at: u32) -> vec4u {
  if (at * 4u + 4u <= params.count) {
    return flagsAt(at);
  }
  if (at * 4u >= params.count) {
    return vec4u();
  }
  return select(vec4u(), flagsAt(at), vec4u(at * 4u) + vec4u(0u, 1u, 2u, 3u) < vec4u(params.count));
}
