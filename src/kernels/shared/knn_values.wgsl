// What knn_distance does with a tile of sums: it writes the values to scratch, [query][pitch]. A lane's references lie
// LANES_REF apart, so that neighbouring lanes write neighbouring words.
// Globals: TILE_REFS, PER_QUERY, PER_REF, LANES_REF, LANES_QUERY; params; queryMeta, refMeta, scratch; Sums; finish.

const REF_RUN: u32 = LANES_REF;
const REF_PITCH: u32 = TILE_REFS + 2u;
const DELIVERY: u32 = 0u;

fn refSlot(reference: u32) -> u32 {
  return reference;
}

fn deliver(sums: ptr<function, Sums>, lane: u32, firstQuery: u32, firstRef: u32) {
  for (var i = 0u; i < PER_QUERY; i++) {
    let query = firstQuery + lane / LANES_REF + i * LANES_QUERY;
    if (query >= params.queryRows) {
      break;
    }
    let baseQuery = queryMeta[query].x;
    for (var j = 0u; j < PER_REF; j++) {
      let reference = firstRef + lane % LANES_REF + j * LANES_REF;
      if (reference < params.refRows) {
        let value = finish((*sums)[i * PER_REF + j], baseQuery, refMeta[params.refBegin + reference].x);
        scratch[query * params.pitch + reference] = value;
      }
    }
  }
}
