// This snippet lets the lanes of a packet decide together. A packet is a subgroup, of at most 128 lanes.
// Globals: none; subgroups.

// The lane's place in its packet, and the number of its lanes.
var<private> packetLane: u32;
var<private> packetLanes: u32;

fn beginPacket(lane: u32) {
  packetLane = subgroupExclusiveAdd(1u);
  packetLanes = subgroupAdd(1u);
}

fn sumOfPacket(word: u32) -> u32 {
  return subgroupAdd(word);
}

fn maxOfPacket(word: u32) -> u32 {
  return subgroupMax(word);
}

fn orOfPacket(word: u32) -> u32 {
  return subgroupOr(word);
}
