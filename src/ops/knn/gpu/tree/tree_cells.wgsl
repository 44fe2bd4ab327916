// This pass of knn.tree divides crowded cells into as many smaller ones as a power of two not above their
// points, and counts those. A cell begins at the number of points before it, and so do the cells it is
// divided into: no two share a number.
//
// Globals: THREADS, CROWDED; params; items, cells, counts, starts, extents, nextCounts, ranks; bitsOfKey;
// cellIn (tree_path).

@each_lane(params.rows)
fn main(at: u32) {
  let count = counts[cells[at]];
  var cell = starts[cells[at]];
  if (count > CROWDED) {
    let word = (cell + CROWDED - 1u) / CROWDED * 6u;
    let largest = vec3f(valueOf(extents[word]), valueOf(extents[word + 1u]), valueOf(extents[word + 2u]));
    let least = vec3f(valueOf(~extents[word + 3u]), valueOf(~extents[word + 4u]), valueOf(~extents[word + 5u]));
    cell += cellIn(bitcast<vec3f>(items[at].xyz), least, largest, firstLeadingBit(count));
  }
  cells[at] = cell;
  ranks[at] = atomicAdd(&nextCounts[cell], 1u);
}

fn valueOf(key: u32) -> f32 {
  return bitcast<f32>(bitsOfKey(key));
}
