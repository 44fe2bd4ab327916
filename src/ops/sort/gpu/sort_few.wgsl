// This kernel sorts rows of at most FEW keys, a lane for each key: it counts the keys of its row that come
// before it. Longer rows are left to others. Globals: THREADS, FEW; params (count); keys, sortedKeys,
// firstValue and putValue (sort_values_*), rowBegin and rowOf (sort_rows_*); sort_key_*, sort_order.

@each_lane(params.count)
fn main(at: u32) {
  let row = rowOf(at);
  let begin = rowBegin(row);
  let end = rowBegin(row + 1u);
  if (end - begin > FEW) {
    return;
  }
  let own = ordinalOf(keys[at]);
  var rank = begin;
  for (var i = begin; i < end; i++) {
    let other = ordinalOf(keys[i]);
    rank += select(0u, 1u, isBefore(other, own) || (all(other == own) && i < at));
  }
  sortedKeys[rank] = keys[at];
  putValue(rank, firstValue(begin, at - begin));
}
