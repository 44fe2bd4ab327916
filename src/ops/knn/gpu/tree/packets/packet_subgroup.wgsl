// This snippet lets the lanes of a packet decide together. A packet is a subgroup, of at most 128 lanes.
// Globals: none; subgroups.

// This is the lane's place in its packet, whose first lane has this place in the workgroup. Lanes are
// numbered in order (DeviceTraits.subgroups), so that packets have places of their own.
var<private> packetLane: u32;
var<private> packetFirst: u32;

fn beginPacket(lane: u32) {
  packetLane = subgroupExclusiveAdd(1u);
  packetFirst = lane - packetLane;
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

fn largestOfPacket(position: vec3f) -> vec3f {
  return subgroupMax(position);
}
