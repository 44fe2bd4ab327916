// The first pass of a turn of select for large k: it counts, by their next eight bits, the elements of every
// row that agree with the bits of the k-th entry found so far. The entry is (key, column) and its bits are
// found from the top, the column's only where several elements share the k-th key. select_pick chooses the
// eight bits.
//
// Globals: THREADS (256: one lane per bin); params; input, scratch; roughKeysOf, exactKeyOf.

const_assert THREADS == 256u;

var<workgroup> bins: array<atomic<u32>, THREADS>;
var<workgroup> agreed: vec4u;

@each_workgroup(params.groups)
fn main(number: u32, lane: u32) {
  let row = number / params.parts;
  let part = number % params.parts;
  let state = params.states + row * 4u;
  if (lane == 0u) {
    agreed = vec4u(
      atomicLoad(&scratch[state]),
      atomicLoad(&scratch[state + 1u]),
      0u,
      atomicLoad(&scratch[state + 3u]),
    );
  }
  let found = workgroupUniformLoad(&agreed);
  if (found.w != 0u) {
    return;
  }
  let rowBegin = row * params.cols;
  let begin = rowBegin + part * params.partCols;
  let end = rowBegin + min(params.cols, (part + 1u) * params.partCols);
  for (var vector = begin / 4u + lane; 4u * vector < end; vector += THREADS) {
    let rough = roughKeysOf(input[vector]);
    for (var j = 0u; j < 4u; j++) {
      let element = 4u * vector + j;
      if (element >= begin && element < end) {
        count(exactKeyOf(rough[j]), element - rowBegin, found.xy);
      }
    }
  }
  workgroupBarrier();
  let size = atomicLoad(&bins[lane]);
  if (size > 0u) {
    atomicAdd(&scratch[params.bins + row * THREADS + lane], size);
  }
}

fn count(key: u32, column: u32, found: vec2u) {
  if (params.byColumn == 0u) {
    if ((key & params.mask) == found.x) {
      atomicAdd(&bins[(key >> params.shift) & 255u], 1u);
    }
  } else if (key == found.x && (column & params.mask) == found.y) {
    atomicAdd(&bins[(column >> params.shift) & 255u], 1u);
  }
}
