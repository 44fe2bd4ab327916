// The only pass of knn.carry has one lane per query. A candidate never moves back, so that its list is its
// own target.
//
// Globals: THREADS; params; heads, candidates, keyed, keys.

const NO_KEY = vec2u(0u, 0x7ff80000u);
// This follows the candidates of a list; no row has this number.
const END = 0xfffffffeu;

@each_lane(params.queryRows)
fn main(query: u32) {
  let count = heads[query].x;
  if (count > params.capacity) {
    return;
  }
  let begin = query * params.capacity;
  let end = begin + params.capacity;
  var before = begin;
  for (var at = begin; at < begin + count; at++) {
    let row = candidates[at];
    if (row < params.refOffset) {
      while (before < end && keyed[before] != row && keyed[before] != END) {
        before++;
      }
      var key = NO_KEY;
      if (before < end && keyed[before] == row) {
        key = keys[before];
      }
      keys[at] = key;
    }
    keyed[at] = row;
  }
  if (count < params.capacity) {
    keyed[begin + count] = END;
  }
}
