// This kernel sorts rows of at most FEW keys, a lane for each key: it counts the keys of its row that come
// before it. Longer rows are left to others. Globals: THREADS, FEW; params (count, maskLow, maskHigh); keys,
// sortedKeys, firstValue and putValue (sort_values_*), rowBegin and rowOf (sort_rows_*); sort_key_*.

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
    let isLess = other.y < own.y || (other.y == own.y && (other.x < own.x || (other.x == own.x && i < at)));
    rank += select(0u, 1u, isLess);
  }
  sortedKeys[rank] = keys[at];
  putValue(rank, firstValue(begin, at - begin));
}

fn ordinalOf(key: Key) -> vec2u {
  let low = ordinalWord(key, 0u) & params.maskLow;
  return vec2u(low, select(0u, ordinalWord(key, 1u) & params.maskHigh, KEY_WORDS == 2u));
}
