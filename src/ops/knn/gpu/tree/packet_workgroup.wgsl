// This snippet lets the lanes of a packet decide together. A packet is a workgroup, of at most 128 lanes.
// Globals: ownLane.

var<workgroup> adding: atomic<u32>;
var<workgroup> added: u32;

// Call it in uniform control flow.
fn sumOfPacket(word: u32) -> u32 {
  atomicAdd(&adding, word);
  workgroupBarrier();
  if (ownLane == 0u) {
    added = atomicExchange(&adding, 0u);
  }
  return workgroupUniformLoad(&added);
}

fn isFirstOfPacket() -> bool {
  return ownLane == 0u;
}
