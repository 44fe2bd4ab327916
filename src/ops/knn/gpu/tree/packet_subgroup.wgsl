// This snippet lets the lanes of a packet decide together. A packet is a subgroup, of at most 128 lanes.
// Globals: none; subgroups.

fn sumOfPacket(word: u32) -> u32 {
  return subgroupAdd(word);
}

fn isFirstOfPacket() -> bool {
  return subgroupElect();
}
