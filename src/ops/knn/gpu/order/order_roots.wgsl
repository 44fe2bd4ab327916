// This pass of knn.order takes the square root of every key, as float64 rounds it. One lane takes one entry.
//
// Globals: THREADS; params; heads, keys; rootOf.

@each_lane(params.queryRows * params.capacity)
fn main(number: u32) {
  let at = params.queryBegin * params.capacity + number;
  let count = heads[at / params.capacity].x;
  if (count <= params.capacity && at % params.capacity < count) {
    keys[at] = rootOf(keys[at]);
  }
}
