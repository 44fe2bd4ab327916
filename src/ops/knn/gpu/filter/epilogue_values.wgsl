// This epilogue of a tile of distances writes the values to scratch, [query][pitch].
// Globals: PER_QUERY, REF_BLOCKS; params; queryMeta, refMeta, scratch; Sums; finish; queryOf, refOf.

const EPILOGUE_SLAB: u32 = 0u;

fn epilogueWants(lane: u32, firstQuery: u32) -> bool {
  return true;
}

fn epilogueBegins(lane: u32, firstRef: u32) {}

fn epilogueSees(turn: u32, rows: mat4x4f) {}

fn epilogue(sums: ptr<function, Sums>, lane: u32, firstQuery: u32, firstRef: u32) {
  for (var b = 0u; b < REF_BLOCKS; b++) {
    let reference = firstRef + refOf(b);
    var bases: vec4f;
    for (var e = 0u; e < 4u; e++) {
      if (reference + e < params.refRows) {
        bases[e] = refMeta[params.refBegin + reference + e].x;
      }
    }
    for (var i = 0u; i < PER_QUERY; i++) {
      let query = firstQuery + queryOf(i);
      if (query >= params.queryRows || reference >= params.refRows) {
        continue;
      }
      // Rows of scratch are padded to whole vectors.
      let values = finish((*sums)[i * REF_BLOCKS + b], queryMeta[query].x, bases);
      scratch[query * params.pitch + reference / 4u] = values;
    }
  }
}
