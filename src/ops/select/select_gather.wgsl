// The pass of select for large k that copies the k entries that are not after the last one wanted into the
// row's list, in any order. select_pick found which one is the last; sort_block and sort_exchange make the
// order.
//
// Globals: THREADS; params; input, scratch; roughKeysOf, exactKeyOf; scanExclusive, scanTotal.

var<workgroup> agreed: vec2u;
var<workgroup> reserved: u32;

@each_workgroup(params.groups)
fn main(number: u32, lane: u32) {
  let row = number / params.parts;
  let part = number % params.parts;
  let state = params.states + row * 4u;
  if (lane == 0u) {
    agreed = vec2u(atomicLoad(&scratch[state]), atomicLoad(&scratch[state + 1u]));
  }
  let last = workgroupUniformLoad(&agreed);
  let rowBegin = row * params.cols;
  let begin = rowBegin + part * params.partCols;
  let end = rowBegin + min(params.cols, (part + 1u) * params.partCols);
  for (var tile = begin / 4u; 4u * tile < end; tile += THREADS) {
    let first = 4u * (tile + lane);
    let rough = roughKeysOf(input[tile + lane]);
    let keys = vec4u(exactKeyOf(rough.x), exactKeyOf(rough.y), exactKeyOf(rough.z), exactKeyOf(rough.w));
    var wanted = 0u;
    for (var j = 0u; j < 4u; j++) {
      let element = first + j;
      let inside = element >= begin && element < end;
      let isFirst = keys[j] < last.x || (keys[j] == last.x && element - rowBegin <= last.y);
      wanted |= select(0u, 1u << j, inside && isFirst);
    }
    let before = scanExclusive(lane, countOneBits(wanted));
    if (lane == 0u) {
      reserved = atomicAdd(&scratch[state + 2u], scanTotal);
    }
    var slot = workgroupUniformLoad(&reserved) + before;
    for (; wanted != 0u && slot < params.k; wanted &= wanted - 1u) {
      let j = firstTrailingBit(wanted);
      let entry = params.lists + (row * params.k + slot) * 2u;
      atomicStore(&scratch[entry], keys[j]);
      atomicStore(&scratch[entry + 1u], first + j - rowBegin);
      slot++;
    }
  }
}
