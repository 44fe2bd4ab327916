// This pass of knn.order takes the entries of lists whose intervals are points, float32 values, and leaves
// keys whose order, as numbers without a sign, is that of the values. One lane takes one entry.
//
// Globals: THREADS; params; heads, keys (the low end of an interval in x); keyOfBits (ordered_key).

@each_lane(params.queryRows * params.capacity)
fn main(number: u32) {
  let at = params.queryBegin * params.capacity + number;
  let count = heads[at / params.capacity].x;
  if (count <= params.capacity && at % params.capacity < count) {
    keys[at] = vec2u(0u, keyOfBits(keys[at].x));
  }
}
