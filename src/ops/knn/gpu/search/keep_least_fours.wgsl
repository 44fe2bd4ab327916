// This snippet takes the values of epilogue_whole and keeps the least key of every GROUP references,
// [query][params.pitch]. Globals: GROUP, NOT_NEGATIVE (no value is below 0), SLAB, TILE_QUERIES, TILE_REFS,
// THREADS; params; least; keyOfValue.

const GROUPS: u32 = TILE_REFS / GROUP;
const_assert TILE_REFS % GROUP == 0u;
const FOURS: u32 = GROUP / 4u;
// One four of a group lies this far from the next: more words than there are, so that lanes write to
// different banks.
const FOUR_PITCH: u32 = TILE_QUERIES * GROUPS + 17u;

// Every device has this much workgroup memory.
const_assert 16u * SLAB + 4u * FOURS * FOUR_PITCH <= 16384u;

// These are the least of each four, [four of its group][group][query]: keys, or bits that are in order as
// they are.
var<workgroup> kept: array<u32, FOURS * FOUR_PITCH>;

// @param reference is the first of the four
fn keepFour(query: u32, reference: u32, bits: vec4u) {
  let all = inOrder(bits);
  let slot = reference % TILE_REFS / GROUP * TILE_QUERIES + query % TILE_QUERIES;
  kept[reference % GROUP / 4u * FOUR_PITCH + slot] = min(min(all.x, all.y), min(all.z, all.w));
}

fn inOrder(bits: vec4u) -> vec4u {
  if (NOT_NEGATIVE) {
    return bits & vec4u(0x7fffffffu); // NaN comes last
  }
  return vec4u(keyOfValue(bits.x), keyOfValue(bits.y), keyOfValue(bits.z), keyOfValue(bits.w));
}

fn finishKeeping(lane: u32, firstRef: u32) {
  workgroupBarrier();
  for (var at = lane; at < TILE_QUERIES * GROUPS; at += THREADS) {
    var first = kept[at];
    for (var four = 1u; four < FOURS; four++) {
      first = min(first, kept[four * FOUR_PITCH + at]);
    }
    let query = at % TILE_QUERIES;
    let group = firstRef / GROUP + at / TILE_QUERIES;
    if (query < params.queryRows && group * GROUP < params.refRows) {
      least[query * params.pitch + group] = select(first, keyOfValue(first), NOT_NEGATIVE);
    }
  }
}
