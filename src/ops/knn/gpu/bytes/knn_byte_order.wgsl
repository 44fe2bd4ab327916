// This kernel writes the entries of lists of rows that are bytes as rows and squared distances, which are
// whole numbers. With ORDERED each goes to its place in the order of (distance, row): one lane takes one
// entry and compares it with the others. Otherwise the order is that of the list.
//
// Globals: ORDERED, THREADS; params (queries, first: how many, from which on; k); heads, candidates,
// intervals, nearRows, nearSums; sumOf (byte_key).

@each_lane(params.queries * params.k)
fn main(number: u32) {
  let at = params.first * params.k + number;
  let entry = at % params.k;
  let begin = at - entry;
  let count = min(heads[at / params.k].x, params.k);
  if (entry >= count) {
    return;
  }
  let key = bitcast<u32>(intervals[at].x);
  let row = candidates[at];
  var place = entry;
  if (ORDERED) {
    place = 0u;
    for (var i = begin; i < begin + count; i++) {
      let other = bitcast<u32>(intervals[i].x);
      place += select(0u, 1u, other < key || (other == key && candidates[i] < row));
    }
  }
  nearRows[begin + place] = row;
  nearSums[begin + place] = sumOf(bitcast<f32>(key));
}
