// This snippet finds the k-th smallest key among the entries of a query by radix select, eight bits at a time
// from the top, by one workgroup. Call it in uniform control flow. Globals: THREADS (256: one lane per radix
// bin); highKey; scanExclusive.

const_assert THREADS == 256u;
const ALL: u32 = 0xffffffffu;

// Entries below `key` stay, and those at it; with CUT only the first `equals` of the `at` entries at it stay.
struct Cutoff {
  key: u32,
  equals: u32,
  at: u32,
}

var<workgroup> agreed: vec2u;
var<workgroup> chosenBin: vec3u;
var<workgroup> bins: array<atomic<u32>, THREADS>;

// @param entries are at least k; their keys are highKey(query, 0 .. entries - 1, listed)
fn selectKth(query: u32, lane: u32, listed: u32, entries: u32, k: u32) -> Cutoff {
  var cutoff = Cutoff(0u, k, 0u);
  for (var turn = 0u; turn < 4u; turn++) {
    let shift = 24u - 8u * turn;
    clearBins(lane);
    for (var at = lane; at < entries; at += THREADS) {
      let key = highKey(query, at, listed);
      if (turn == 0u || ((key ^ cutoff.key) >> (shift + 8u)) == 0u) {
        atomicAdd(&bins[(key >> shift) & 255u], 1u);
      }
    }
    let chosen = binOf(lane, cutoff.equals);
    cutoff = Cutoff(cutoff.key | (chosen.x << shift), chosen.y, chosen.z);
  }
  return cutoff;
}

fn clearBins(lane: u32) {
  atomicStore(&bins[lane], 0u);
  if (lane == 0u) {
    // This stays only if a high end came out differently in two rounds: a threshold too high keeps too much,
    // never too little.
    chosenBin = vec3u(THREADS - 1u, 1u, 1u);
  }
  workgroupBarrier();
}

// Returns the bin of the entry of that rank, from 1; its rank in the bin; and how many entries the bin has.
fn binOf(lane: u32, rank: u32) -> vec3u {
  workgroupBarrier();
  let size = atomicLoad(&bins[lane]);
  let before = scanExclusive(lane, size);
  if (before < rank && rank - before <= size) {
    chosenBin = vec3u(lane, rank - before, size);
  }
  return workgroupUniformLoad(&chosenBin);
}
