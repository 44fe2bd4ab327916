// This kernel sorts entries (key, index) in blocks of CAPACITY, one workgroup each: whole blocks from any
// order, or with MERGE blocks that sort_exchange has made bitonic. Together they sort every list of a matrix
// of lists; see runtime/gpu/collectives/sort/sortLists.ts.
//
// Globals: THREADS, CAPACITY (a power of two), MERGE; params; scratch; workgroup_sort.

@each_workgroup(params.groups)
fn main(number: u32, lane: u32) {
  let begin = number % params.blocks * CAPACITY;
  let count = min(CAPACITY, params.length - begin);
  let first = params.lists + number / params.blocks * params.length + begin;
  for (var at = lane; at < count; at += THREADS) {
    let entry = scratch[first + at];
    entryKeys[at] = entry.x;
    entryIndices[at] = entry.y;
  }
  if (MERGE) {
    mergeEntries(lane, count, firstTrailingBit(CAPACITY) - 1u);
  } else {
    sortEntries(lane, count);
  }
  for (var at = lane; at < count; at += THREADS) {
    scratch[first + at] = vec2u(entryKeys[at], entryIndices[at]);
  }
}
