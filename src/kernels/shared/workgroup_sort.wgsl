// Entries (key, index) in workgroup memory, and a bitonic sort of them by key, then index. All comparisons put the smaller
// entry first, so that any number of entries can be sorted: what lies past the last one would not move.
// Call these functions in uniform control flow with uniform arguments; each opens and closes with a barrier.
// Globals: THREADS, CAPACITY.

var<workgroup> entryKeys: array<u32, CAPACITY>;
var<workgroup> entryIndices: array<u32, CAPACITY>;

fn sortEntries(lane: u32, count: u32) {
  workgroupBarrier();
  for (var half = 0u; (1u << half) < count; half++) {
    compareMirrored(lane, count, half);
    if (half > 0u) {
      mergeEntries(lane, count, half - 1u);
    }
  }
}

// The strides 2^first, ..., 2, 1: sorts runs of 2^(first + 1) entries that are bitonic.
fn mergeEntries(lane: u32, count: u32, first: u32) {
  workgroupBarrier();
  for (var turn = 0u; turn <= first; turn++) {
    let stride = first - turn;
    let size = 1u << stride;
    for (var at = lane; at < count; at += THREADS) {
      let low = ((at >> stride) << (stride + 1u)) | (at & (size - 1u));
      if (low + size >= count) {
        break;
      }
      compareEntries(low, low + size);
    }
    workgroupBarrier();
  }
}

// Compares the two halves, of 2^half entries each, of every run: the first with the last, and so on inwards.
fn compareMirrored(lane: u32, count: u32, half: u32) {
  let size = 1u << half;
  for (var at = lane; at < count; at += THREADS) {
    let run = (at >> half) << (half + 1u);
    let offset = at & (size - 1u);
    if (run + offset >= count) {
      break;
    }
    let high = run + 2u * size - 1u - offset;
    if (high < count) {
      compareEntries(run + offset, high);
    }
  }
  workgroupBarrier();
}

fn compareEntries(low: u32, high: u32) {
  let a = vec2u(entryKeys[low], entryIndices[low]);
  let b = vec2u(entryKeys[high], entryIndices[high]);
  if (isBefore(b, a)) {
    entryKeys[low] = b.x;
    entryIndices[low] = b.y;
    entryKeys[high] = a.x;
    entryIndices[high] = a.y;
  }
}

fn isBefore(a: vec2u, b: vec2u) -> bool {
  return a.x < b.x || (a.x == b.x && a.y < b.y);
}
