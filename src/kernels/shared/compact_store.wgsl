// Writes what a tile of compact keeps to where it belongs, and with the last element how many are kept in all.
// Globals: scan_tile, keptElements, keep (compact_values, compact_indices, compact_both, compact_runs), params.count,
// params.capacity, params.firstIndex, found.

// @param before how many are kept before the tile
fn storeTile(place: Place, kept: Four, scanned: Scanned, before: u32) {
  let starts = vec4u(before) + scanned.before;
  let at = place.first;
  storeRun(at, kept.a, starts.x);
  storeRun(at + place.size, kept.b, starts.y);
  storeRun(at + 2u * place.size, kept.c, starts.z);
  storeRun(at + 3u * place.size, kept.d, starts.w);
}

fn storeRun(at: u32, kept: vec4u, start: u32) {
  let element = at * 4u;
  if (element >= params.count) {
    return;
  }
  var to = start;
  if (any(kept != vec4u())) {
    let elements = keptElements(at);
    for (var i = 0u; i < 4u; i++) {
      if (kept[i] != 0u) {
        keep(to, elements[i], params.firstIndex + element + i);
        to++;
      }
    }
  }
  if (element + 4u >= params.count) {
    found[0] = to;
  }
}
