// select for large k: copies the k entries that are not after the last one wanted into the row's list, in any order. Which one
// is the last is select_pick's finding; the order is made by sort_block and sort_exchange.
//
// Globals: THREADS; params; input, scratch; keyOfElement; linearGroup; scanExclusive, scanTotal.

var<workgroup> agreed: vec2u;
var<workgroup> reserved: u32;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let number = linearGroup(group, groups);
  if (number >= params.groups) {
    return;
  }
  let row = number / params.parts;
  let part = number % params.parts;
  let state = params.states + row * 4u;
  if (lane == 0u) {
    agreed = vec2u(atomicLoad(&scratch[state]), atomicLoad(&scratch[state + 1u]));
  }
  let last = workgroupUniformLoad(&agreed);
  let end = min(params.cols, (part + 1u) * params.partCols);
  for (var begin = part * params.partCols; begin < end; begin += THREADS) {
    let column = begin + lane;
    var key = 0u;
    var wanted = 0u;
    if (column < end) {
      let element = row * params.cols + column;
      key = keyOfElement(input[element / 4u][element % 4u]);
      wanted = select(0u, 1u, key < last.x || (key == last.x && column <= last.y));
    }
    let before = scanExclusive(lane, wanted);
    if (lane == 0u) {
      reserved = atomicAdd(&scratch[state + 2u], scanTotal);
    }
    let slot = workgroupUniformLoad(&reserved) + before;
    if (wanted == 1u && slot < params.k) {
      let entry = params.lists + (row * params.k + slot) * 2u;
      atomicStore(&scratch[entry], key);
      atomicStore(&scratch[entry + 1u], column);
    }
  }
}
