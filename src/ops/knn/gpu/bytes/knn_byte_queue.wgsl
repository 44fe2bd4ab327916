// This snippet keeps the pairs of a workgroup that pass until many have come together: it takes so long to
// count a pair in device memory that no tile should wait for it. A tile whose pairs find no place in the
// queue counts them itself.
//
// A pair is the number of its query in the tile, and that of its reference among all tiles of the workgroup.
//
// Globals: TILE_REFS, THREADS; params; scratch; append (knn_append).

const QUEUE: u32 = 512u;
const REF_BITS: u32 = 24u;

var<workgroup> queued: atomic<u32>;
var<workgroup> queue: array<u32, QUEUE>;

// These are the first query of the workgroup's tiles, the first reference, and how far one tile is from the
// next.
var<private> queueQuery: u32;
var<private> queueRef: u32;
var<private> queueStride: u32;

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
  let place = pair & ((1u << REF_BITS) - 1u);
  let reference = queueRef + place / TILE_REFS * queueStride + place % TILE_REFS;
  if (reference < params.refRows) {
    append(query, atomicAdd(&scratch[query], 1u), reference, 0.0, 0.0);
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
