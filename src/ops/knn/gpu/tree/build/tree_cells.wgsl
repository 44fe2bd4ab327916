// This pass of knn.tree divides crowded cells into as many smaller ones as a power of two not above their
// points, and counts those. A cell begins at the number of points before it, and so do the cells it is
// divided into: no two share a number. The first round says whether a cell is still crowded.
//
// Globals: THREADS, CROWDED; params; items, cells, counts, starts, extents, nextCounts, ranks; bitsOfKey;
// cellIn (tree_path).

const ALL: u32 = 0xffffffffu;

@each_lane(params.rows)
fn main(at: u32) {
  if (params.round > 0u && atomicLoad(&extents[params.flag]) == 0u) {
    return;
  }
  let count = counts[cells[at]];
  var cell = starts[cells[at]];
  if (count > CROWDED) {
    let word = (cell + CROWDED - 1u) / CROWDED * 6u;
    let largest = vec3f(valueAt(word, 0u), valueAt(word + 1u, 0u), valueAt(word + 2u, 0u));
    let least = vec3f(valueAt(word + 3u, ALL), valueAt(word + 4u, ALL), valueAt(word + 5u, ALL));
    cell += cellIn(bitcast<vec3f>(items[at].xyz), least, largest, firstLeadingBit(count));
  }
  cells[at] = cell;
  let rank = atomicAdd(&nextCounts[cell], 1u);
  ranks[at] = rank;
  if (params.round == 0u && rank == CROWDED) {
    atomicStore(&extents[params.flag], 1u);
  }
}

fn valueAt(word: u32, turned: u32) -> f32 {
  return bitcast<f32>(bitsOfKey(atomicLoad(&extents[word]) ^ turned));
}
