// This snippet makes the exclusive prefix sum of one u32 per lane over the workgroup; the sum over all lanes
// is in scanTotal until the next call. Call it in uniform control flow. It opens with a barrier, after which
// what lanes did before the call has happened.
// Globals: THREADS (a multiple of 16).

const SCAN_BLOCK: u32 = 16u;
const SCAN_BLOCKS: u32 = THREADS / SCAN_BLOCK;

var<workgroup> scanLanes: array<u32, THREADS>;
var<workgroup> scanBlocks: array<u32, SCAN_BLOCKS>;
var<workgroup> scanTotal: u32;

fn scanExclusive(lane: u32, value: u32) -> u32 {
  scanLanes[lane] = value;
  workgroupBarrier();
  if (lane < SCAN_BLOCKS) {
    var sum = 0u;
    for (var i = lane * SCAN_BLOCK; i < (lane + 1u) * SCAN_BLOCK; i++) {
      let here = scanLanes[i];
      scanLanes[i] = sum;
      sum += here;
    }
    scanBlocks[lane] = sum;
  }
  workgroupBarrier();
  if (lane == 0u) {
    var sum = 0u;
    for (var i = 0u; i < SCAN_BLOCKS; i++) {
      let here = scanBlocks[i];
      scanBlocks[i] = sum;
      sum += here;
    }
    scanTotal = sum;
  }
  workgroupBarrier();
  return scanLanes[lane] + scanBlocks[lane / SCAN_BLOCK];
}
