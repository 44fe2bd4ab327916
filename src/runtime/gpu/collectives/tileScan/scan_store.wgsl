// This snippet writes a tile of a scan.
// Globals: Value, combine (combine_*), isEasy, easyElements, otherElements (run_plain or the caller's own),
// scan_begin, params.count, params.exclusive, output.

// @param before what comes before the tile
fn storeTile(tile: u32, thread: u32, begun: ptr<function, Begun>, before: Value) {
  let first = tile * TILE_VECTORS + thread;
  let whole = (tile + 1u) * TILE_VECTORS * 4u <= params.count;
  let easy = isEasy(before);
  for (var i = 0u; i < VECTORS; i++) {
    let run = combine(before, (*begun).before[i]);
    var elements = easyElements(run, (*begun).tile[i]);
    if (!easy) {
      elements = otherElements(run, (*begun).tile[i]);
    }
    if (whole) {
      output[first + i * THREADS] = elements;
    } else {
      storeSome(first + i * THREADS, elements);
    }
  }
}

fn runFrom(before: Value, values: vec4<Value>) -> vec4<Value> {
  let one = combine(before, values.x);
  let two = combine(one, values.y);
  let three = combine(two, values.z);
  let four = combine(three, values.w);
  return select(
    vec4<Value>(one, two, three, four),
    vec4<Value>(before, one, two, three),
    params.exclusive != 0u,
  );
}

fn storeSome(at: u32, elements: vec4u) {
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
