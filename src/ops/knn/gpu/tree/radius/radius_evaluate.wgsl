// This pass of knn.withinOrder makes the distance of every candidate, as float64 computes it. One lane takes
// one candidate.
//
// Globals: THREADS, ROOT; params; queries, refs, entries, keys; Float64 and its functions; rootOf.

@each_lane(params.count)
fn main(lane: u32) {
  let at = params.begin + lane;
  let entry = entries[at];
  let x = refs[entry.x];
  let q = queries[entry.y];
  var sum = Float64(vec2u(), 0);
  sum = withSquare64(sum, x.x, q.x);
  sum = withSquare64(sum, x.y, q.y);
  sum = withSquare64(sum, x.z, q.z);
  let key = packed64(sum);
  if (ROOT == 1u) {
    keys[at] = rootOf(key);
  } else {
    keys[at] = key;
  }
}
