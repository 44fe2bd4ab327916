// This snippet keeps the pairs of a workgroup that pass until many have come together: it takes so long to
// count a pair in device memory that no tile should wait for it. A tile whose pairs find no place in the
// queue counts them itself.
//
// A pair is the number of its query in the tile, and that of its reference from the workgroup's first on.
// Only the row of its reference is appended; knn_compare adds the interval.
//
// Globals: TILE_REFS, THREADS; params (firstRow, refRows, begin, room); scratch.

const QUEUE: u32 = 512u;
const REF_BITS: u32 = 24u;

var<workgroup> queued: atomic<u32>;
var<workgroup> queue: array<u32, QUEUE>;

// These are the first query and the first reference of the workgroup's tiles, one of which follows another.
var<private> queueQuery: u32;
var<private> queueRef: u32;

// @param reference is numbered within tile `turn` of the workgroup
fn enqueue(query: u32, turn: u32, reference: u32) {
  let pair = (query << REF_BITS) | (turn * TILE_REFS + reference);
  let slot = atomicAdd(&queued, 1u);
  if (slot < QUEUE) {
    queue[slot] = pair;
  } else {
    deliver(pair);
  }
}

fn deliver(pair: u32) {
  let query = queueQuery + (pair >> REF_BITS);
  let reference = queueRef + (pair & ((1u << REF_BITS) - 1u));
  if (reference >= params.refRows) {
    return;
  }
  let slot = atomicAdd(&scratch[query], 1u);
  if (slot < params.room) {
    atomicStore(&scratch[params.begin + (query * params.room + slot) * 3u], params.firstRow + reference);
  }
}

// Empties the queue if at least `least` pairs wait. Nobody enqueues between the barriers before and after it.
fn flush(lane: u32, least: u32) {
  let count = atomicLoad(&queued);
  if (count >= least) {
    for (var at = lane; at < min(count, QUEUE); at += THREADS) {
      deliver(queue[at]);
    }
  }
  workgroupBarrier();
  if (lane == 0u && count >= least) {
    atomicStore(&queued, 0u);
  }
}
