// The first pass of distances.thresholds makes the range of each query as float64, one lane each: its least
// and its largest distance, their difference, and whether there is any. With EXACT it takes the ranks that
// distances.least has found in parts, else the least and the largest value.
//
// Globals: THREADS, EXACT, ROOT; params; found; bounds; floatOfKey and the functions of positive64.

@each_lane(params.queryRows)
fn main(query: u32) {
  var least = Float64(vec2u(), 0);
  var most = least;
  var isAny = false;
  var evaluated = 0u;
  if (EXACT) {
    // The complement of the least is kept, so that both rise from 0.
    var ends = array<vec2u, 2>();
    for (var part = 0u; part < params.parts; part++) {
      let at = (query * params.parts + part) * 5u;
      for (var end = 0u; end < 2u; end++) {
        let other = vec2u(found[at + 2u * end], found[at + 2u * end + 1u]);
        if (isBelow64(ends[end], other)) {
          ends[end] = other;
        }
      }
      evaluated += found[at + 4u];
    }
    isAny = any(ends[0] != vec2u());
    if (isAny) {
      least = unpacked64(~ends[0]);
      most = unpacked64(ends[1]);
    }
  } else {
    isAny = found[2u * query] != 0u;
    if (isAny) {
      least = widened64(bitsOfKey(~found[2u * query]), params.rankExponent);
      most = widened64(bitsOfKey(found[2u * query + 1u]), params.rankExponent);
    }
  }
  if (ROOT) {
    least = root64(least);
    most = root64(most);
  }
  let at = query * 4u;
  bounds[at] = packed64(least);
  bounds[at + 1u] = packed64(most);
  bounds[at + 2u] = packed64(minus64(most, least));
  bounds[at + 3u] = vec2u(u32(isAny), evaluated);
}
