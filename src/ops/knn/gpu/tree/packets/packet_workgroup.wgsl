// This snippet lets the lanes of a packet decide together. A packet is a workgroup, of at most 128 lanes.
// Globals: keyOfBits, bitsOfKey. Call its functions in uniform control flow.

var<workgroup> joining: atomic<u32>;
var<workgroup> joined: u32;

// This is the lane's place in its packet, whose first lane has this place in the workgroup.
var<private> packetLane: u32;
var<private> packetFirst: u32;

fn beginPacket(lane: u32) {
  packetLane = lane;
  packetFirst = 0u;
}

fn sumOfPacket(word: u32) -> u32 {
  atomicAdd(&joining, word);
  return joinedWord();
}

fn maxOfPacket(word: u32) -> u32 {
  atomicMax(&joining, word);
  return joinedWord();
}

fn orOfPacket(word: u32) -> u32 {
  atomicOr(&joining, word);
  return joinedWord();
}

fn joinedWord() -> u32 {
  workgroupBarrier();
  if (packetLane == 0u) {
    joined = atomicExchange(&joining, 0u);
  }
  return workgroupUniformLoad(&joined);
}

fn largestOfPacket(position: vec3f) -> vec3f {
  let bits = bitcast<vec3u>(position);
  return bitcast<vec3f>(vec3u(
    bitsOfKey(maxOfPacket(keyOfBits(bits.x))),
    bitsOfKey(maxOfPacket(keyOfBits(bits.y))),
    bitsOfKey(maxOfPacket(keyOfBits(bits.z)))
  ));
}
