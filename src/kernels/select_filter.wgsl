// select for small k: one workgroup finds the k first entries of a piece of a row in one pass over it. Entries that come
// before the k-th one found so far are collected in workgroup memory; when that is full they are sorted and all but k are
// dropped, which moves the k-th one. Where entries come from and where the k go is not here: shared/select_from_*,
// shared/select_to_*.
//
// Globals: THREADS, CAPACITY (more than k), VECTORS; params; sourceBegin, sourceKeys, sourceIndex, writeEntry; linearGroup;
// workgroup_sort.

const NOTHING = vec2u(0xffffffffu);

var<workgroup> wanted: atomic<u32>;
var<workgroup> agreed: u32;
var<workgroup> agreedBound: vec2u;

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
  let row = number / params.pieces;
  let piece = number % params.pieces;
  let rowBegin = sourceBegin(row);
  let begin = rowBegin + piece * params.pieceCols;
  let end = rowBegin + min(params.cols, (piece + 1u) * params.pieceCols);

  var bound = NOTHING;
  for (var tile = begin / 4u; tile * 4u < end; tile += THREADS * VECTORS) {
    var waiting = findBefore(lane, tile, rowBegin, begin, end, bound);
    loop {
      waiting = collect(lane, tile, rowBegin, waiting);
      if (collected(lane) <= CAPACITY) {
        break;
      }
      bound = dropAllButK(lane);
      waiting &= findBefore(lane, tile, rowBegin, begin, end, bound);
    }
  }

  let count = collected(lane);
  sortEntries(lane, count);
  for (var at = lane; at < params.k; at += THREADS) {
    var entry = NOTHING;
    if (at < count) {
      entry = vec2u(entryKeys[at], entryIndices[at]);
    }
    writeEntry(row, number * params.k + at, entry);
  }
}

// One bit for each of this lane's elements of the tile: whether it comes before the bound.
fn findBefore(lane: u32, tile: u32, rowBegin: u32, begin: u32, end: u32, bound: vec2u) -> u32 {
  var found = 0u;
  for (var i = 0u; i < VECTORS; i++) {
    let vector = tile + i * THREADS + lane;
    if (vector * 4u < end) {
      let keys = sourceKeys(vector);
      if (any(keys <= vec4u(bound.x))) {
        for (var j = 0u; j < 4u; j++) {
          let element = vector * 4u + j;
          let inside = element >= begin && element < end;
          if (inside && isBefore(vec2u(keys[j], sourceIndex(element, rowBegin)), bound)) {
            found |= 1u << (4u * i + j);
          }
        }
      }
    }
  }
  return found;
}

// Stores what waits; returns what found no room.
fn collect(lane: u32, tile: u32, rowBegin: u32, waiting: u32) -> u32 {
  var left = 0u;
  for (var bits = waiting; bits != 0u; bits &= bits - 1u) {
    let bit = firstTrailingBit(bits);
    let vector = tile + bit / 4u * THREADS + lane;
    let slot = atomicAdd(&wanted, 1u);
    if (slot < CAPACITY) {
      entryKeys[slot] = sourceKeys(vector)[bit % 4u];
      entryIndices[slot] = sourceIndex(vector * 4u + bit % 4u, rowBegin);
    } else {
      left |= 1u << bit;
    }
  }
  return left;
}

// Entries that were collected or found no room.
fn collected(lane: u32) -> u32 {
  workgroupBarrier();
  if (lane == 0u) {
    agreed = atomicLoad(&wanted);
  }
  return workgroupUniformLoad(&agreed);
}

// Keeps the first k of CAPACITY entries and returns the last of them.
fn dropAllButK(lane: u32) -> vec2u {
  sortEntries(lane, CAPACITY);
  if (lane == 0u) {
    atomicStore(&wanted, params.k);
    agreedBound = vec2u(entryKeys[params.k - 1u], entryIndices[params.k - 1u]);
  }
  return workgroupUniformLoad(&agreedBound);
}
