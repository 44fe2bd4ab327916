// This snippet ranks keys within a group of lanes, which is a subgroup: lanes see by votes who has the same
// digit, and the last of them adds all to the group's counter. The shuffle makes each round wait for the one
// before. Lanes must follow each other (runtime/gpu/traits.ts looks whether they do). Globals: LANES (of a
// subgroup, at most 32), ITEMS; slab, digitAt, placeOf (sort_tile); subgroups.

// It finds the places of keys in the ordered tile; counters begin where the keys of the group do.
fn placeKeys(
  thread: u32,
  held: ptr<function, array<Key, ITEMS>>,
  valid: u32,
  digit: Digit,
  places: ptr<function, array<u32, ITEMS>>,
) {
  let group = thread / LANES * 256u;
  let lane = thread % LANES;
  let below = (1u << lane) - 1u;
  for (var i = 0u; i < ITEMS; i++) {
    let own = digitAt((*held)[i], placeOf(thread, i), valid, digit);
    let peers = peersOf(own);
    let leader = firstLeadingBit(peers);
    let before = countOneBits(peers & below);
    var first = 0u;
    if (lane == leader) {
      first = atomicAdd(&slab[group + own], before + 1u);
    }
    (*places)[i] = subgroupShuffle(first, leader) + before;
  }
}

fn peersOf(digit: u32) -> u32 {
  var peers = (0xffffffffu >> (32u - LANES)) & voters(digit, 1u);
  peers &= voters(digit, 2u);
  peers &= voters(digit, 4u);
  peers &= voters(digit, 8u);
  peers &= voters(digit, 16u);
  peers &= voters(digit, 32u);
  peers &= voters(digit, 64u);
  return peers & voters(digit, 128u);
}

// The lanes whose digits have the same bit there.
fn voters(digit: u32, bit: u32) -> u32 {
  let isSet = (digit & bit) != 0u;
  let votes = subgroupBallot(isSet).x;
  return select(~votes, votes, isSet);
}
