// The k-th smallest key among the entries of a query by radix select, eight bits a turn from the top, by one workgroup.
// Call it in uniform control flow.
// Globals: THREADS (256: one lane per radix bin); params.k; highKey; scanExclusive.

const_assert THREADS == 256u;
const ALL: u32 = 0xffffffffu;

// Entries at or below `key` stay, or with CUT those below it and the first `equals` of those at it.
struct Cutoff {
  key: u32,
  equals: u32,
}

var<workgroup> agreed: vec2u;
var<workgroup> bins: array<atomic<u32>, THREADS>;

// @param entries at least k; their keys are highKey(query, 0 .. entries - 1, listed)
fn selectKth(query: u32, lane: u32, listed: u32, entries: u32) -> Cutoff {
  var prefix = 0u;
  var mask = 0u;
  var rank = params.k;
  for (var turn = 0u; turn < 4u; turn++) {
    let shift = 24u - 8u * turn;
    atomicStore(&bins[lane], 0u);
    if (lane == 0u) {
      // Stands only if a high end came out differently in two rounds: a threshold too high keeps too much, never too little.
      agreed = vec2u(THREADS - 1u, 1u);
    }
    workgroupBarrier();
    for (var at = lane; at < entries; at += THREADS) {
      let key = highKey(query, at, listed);
      if ((key & mask) == prefix) {
        atomicAdd(&bins[(key >> shift) & 255u], 1u);
      }
    }
    workgroupBarrier();
    let size = atomicLoad(&bins[lane]);
    let before = scanExclusive(lane, size);
    if (before < rank && rank - before <= size) {
      agreed = vec2u(lane, rank - before);
    }
    let chosen = workgroupUniformLoad(&agreed);
    prefix |= chosen.x << shift;
    mask |= 255u << shift;
    rank = chosen.y;
  }
  return Cutoff(prefix, rank);
}
