// Writes a tile of a scan.
// Globals: Value, combine, combine4 (combine_*), elementsOf (value_*), scan_tile, params.count, params.exclusive, output.

// @param before what comes before the tile
fn storeTile(place: Place, values: Four, scanned: Scanned, before: Value) {
  let starts = combine4(vec4<Value>(before), scanned.before);
  let at = place.first;
  store(at, runFrom(starts.x, values.a));
  store(at + place.size, runFrom(starts.y, values.b));
  store(at + 2u * place.size, runFrom(starts.z, values.c));
  store(at + 3u * place.size, runFrom(starts.w, values.d));
}

fn runFrom(before: Value, values: vec4<Value>) -> vec4u {
  let one = combine(before, values.x);
  let two = combine(one, values.y);
  let three = combine(two, values.z);
  if (params.exclusive != 0u) {
    return elementsOf(vec4<Value>(before, one, two, three));
  }
  return elementsOf(vec4<Value>(one, two, three, combine(three, values.w)));
}

fn store(at: u32, elements: vec4u) {
  let element = at * 4u;
  if (element + 4u <= params.count) {
    output[at] = elements;
    return;
  }
  if (element < params.count) {
    output[at].x = elements.x;
  }
  if (element + 1u < params.count) {
    output[at].y = elements.y;
  }
  if (element + 2u < params.count) {
    output[at].z = elements.z;
  }
}
