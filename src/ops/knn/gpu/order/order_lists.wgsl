// This pass of knn.order writes each entry of a list to its place in the order of (distance, row), if that is
// one of the first k. One lane takes one entry and compares it with the others.
//
// Globals: THREADS; params; heads, candidates, keys, nearRows, nearDistances.

@each_lane(params.queryRows * params.capacity)
fn main(number: u32) {
  let at = params.queryBegin * params.capacity + number;
  let query = at / params.capacity;
  let entry = at % params.capacity;
  let count = heads[query].x;
  if (count > params.capacity) {
    if (entry == 0u) {
      nearRows[query * params.k] = 0xffffffffu;
      nearDistances[query * params.k] = vec2u(count, 0u);
    }
    return;
  }
  if (entry >= count) {
    return;
  }
  let key = keys[at];
  let row = candidates[at];
  let begin = at - entry;
  var place = 0u;
  for (var i = begin; i < begin + count; i++) {
    let other = keys[i];
    let isEqual = all(other == key);
    place += u32(other.y < key.y || (other.y == key.y && other.x < key.x) || (isEqual && candidates[i] < row));
  }
  if (place < params.k) {
    nearRows[query * params.k + place] = row;
    nearDistances[query * params.k + place] = key;
  }
}
