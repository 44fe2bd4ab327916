// This is the only pass of distance.refine: it makes the squared distance of every candidate, as float64
// computes it. One lane takes one candidate.
//
// Globals: THREADS; params; queries, refs, heads, candidates, keys, Float64 and its functions.

@each_lane(params.queryRows * params.capacity)
fn main(at: u32) {
  let query = params.queryBegin + at / params.capacity;
  let entry = params.queryBegin * params.capacity + at;
  let count = heads[query].x;
  if (count > params.capacity || at % params.capacity >= count) {
    return;
  }
  let row = candidates[entry] - params.refOffset;
  if (row >= params.refRows) {
    return;
  }
  var sum = Float64(vec2u(), 0);
  for (var column = 0u; column < params.depth; column++) {
    let x = refs[row * params.stride + column];
    let q = queries[query * params.stride + column];
    sum = withSquare64(sum, x.x, q.x);
    sum = withSquare64(sum, x.y, q.y);
    sum = withSquare64(sum, x.z, q.z);
    sum = withSquare64(sum, x.w, q.w);
  }
  keys[entry] = packed64(sum);
}
