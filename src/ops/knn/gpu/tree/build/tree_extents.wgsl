// This pass of knn.tree finds the extents of every crowded cell, so that it is halved where its points are.
// Items lie cell by cell. A workgroup takes SPAN of them; where they are of one cell it joins them first.
//
// Globals: THREADS, CROWDED, SPAN; params; items, cells, counts, starts, extents; keyOfBits.

// These are the largest keys of the columns, and the largest of their complements.
var<workgroup> joined: array<atomic<u32>, 6>;

var<workgroup> isNeeded: u32;

@each_workgroup(params.groups)
fn main(group: u32, lane: u32) {
  if (lane == 0u) {
    isNeeded = u32(params.round == 0u) | atomicLoad(&extents[params.flag]);
  }
  if (workgroupUniformLoad(&isNeeded) == 0u) {
    return;
  }
  let first = group * SPAN;
  let end = min(first + SPAN, params.rows);
  if (cells[first] != cells[end - 1u]) {
    for (var at = first + lane; at < end; at += THREADS) {
      let cell = cells[at];
      if (counts[cell] > CROWDED) {
        var keys = keysOf(at);
        for (var i = 0u; i < 6u; i++) {
          atomicMax(&extents[wordOf(cell) + i], keys[i]);
        }
      }
    }
    return;
  }
  let cell = cells[first];
  if (counts[cell] <= CROWDED) {
    return;
  }
  var all: array<u32, 6>;
  for (var at = first + lane; at < end; at += THREADS) {
    var keys = keysOf(at);
    for (var i = 0u; i < 6u; i++) {
      all[i] = max(all[i], keys[i]);
    }
  }
  for (var i = 0u; i < 6u; i++) {
    atomicMax(&joined[i], all[i]);
  }
  workgroupBarrier();
  if (lane < 6u) {
    atomicMax(&extents[wordOf(cell) + lane], atomicLoad(&joined[lane]));
  }
}

// Crowded cells begin more than CROWDED items apart, so that each has words of its own.
fn wordOf(cell: u32) -> u32 {
  return (starts[cell] + CROWDED - 1u) / CROWDED * 6u;
}

fn keysOf(at: u32) -> array<u32, 6> {
  let item = items[at];
  let keys = vec3u(keyOfBits(item.x), keyOfBits(item.y), keyOfBits(item.z));
  return array<u32, 6>(keys.x, keys.y, keys.z, ~keys.x, ~keys.y, ~keys.z);
}
