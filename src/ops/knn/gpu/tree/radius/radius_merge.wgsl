// This pass of knn.withinOrder merges two runs of candidates of a query into one, which are in the order of
// (distance, row) each. One lane takes one candidate and finds how many of the other run precede it.
//
// Globals: THREADS; params; offsets, entries, keys, nextKeys; putEntry (put_entry or put_row).

@each_lane(params.listed)
fn main(at: u32) {
  let entry = entries[at];
  let key = keys[at];
  let begin = offsets[entry.y];
  let end = offsets[entry.y + 1u];
  let run = (at - begin) / params.width;
  let first = min(begin + (run ^ 1u) * params.width, end);
  var low = first;
  var high = min(first + params.width, end);
  while (low < high) {
    let middle = (low + high) >> 1u;
    let other = keys[middle];
    let isEqual = all(other == key);
    if (
      other.y < key.y || (other.y == key.y && other.x < key.x) || (isEqual && entries[middle].x < entry.x)
    ) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  let to = at - (run & 1u) * params.width + low - first;
  nextKeys[to] = key;
  putEntry(to, entry);
}
