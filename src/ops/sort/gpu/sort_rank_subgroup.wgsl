// This snippet ranks keys within a group of lanes, which is a subgroup: lanes see by votes who has the same
// digit, and the first of them adds all to the group's counter. The shuffle makes each round wait for the one
// before. Lanes must follow each other (runtime/gpu/traits.ts looks whether they do). Globals: LANES (of a
// subgroup, at most 32), slab (sort_tile); subgroups.

// It gives how many keys of the group's rounds so far have the digit, with those of lower lanes in this one.
fn rankKey(digit: u32, group: u32, lane: u32, round: u32) -> u32 {
  var peers = 0xffffffffu >> (32u - LANES);
  for (var bit = 0u; bit < 8u; bit++) {
    let own = (digit >> bit) & 1u;
    peers &= subgroupBallot(own == 1u).x ^ (own - 1u);
  }
  let leader = firstTrailingBit(peers);
  var first = 0u;
  if (lane == leader) {
    first = atomicAdd(&slab[group * 256u + digit], countOneBits(peers));
  }
  return subgroupShuffle(first, leader) + countOneBits(peers & ((1u << lane) - 1u));
}
