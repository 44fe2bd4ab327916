// This snippet takes the values of knn_few and keeps the least key of every GROUP references,
// [query][params.pitch]. Globals: GROUP, QUERIES, THREADS, SPAN (references of a workgroup, which begins at a
// multiple of them); params; least; keyOfValue.

const GROUPS: u32 = SPAN / GROUP;
const_assert SPAN % GROUP == 0u;

// These are the least keys, [query][group], with all bits flipped, so that 0 is nothing.
var<workgroup> kept: array<atomic<u32>, QUERIES * GROUPS>;

fn keep(query: u32, reference: u32, bits: u32) {
  atomicMax(&kept[query * GROUPS + reference % SPAN / GROUP], ~keyOfValue(bits));
}

fn finishKeeping(lane: u32, firstRef: u32) {
  workgroupBarrier();
  for (var at = lane; at < params.queryRows * GROUPS; at += THREADS) {
    let group = firstRef / GROUP + at % GROUPS;
    if (group * GROUP < params.refRows) {
      least[at / GROUPS * params.pitch + group] = ~atomicLoad(&kept[at]);
    }
  }
}
