// This snippet ranks keys within a group of LANES lanes where there are no subgroups: lanes see by marks in
// workgroup memory who has the same digit, and the first of them adds all to the group's counter. Marks of
// one round are taken away while those of the next are set, so that two barriers a round suffice. Globals:
// LANES (32), GROUPS, slab (sort_tile).

// It gives how many keys of the group's rounds so far have the digit, with those of lower lanes in this one.
fn rankKey(digit: u32, group: u32, lane: u32, round: u32) -> u32 {
  let counter = group * 256u + digit;
  let marks = counter + (1u + (round & 1u)) * GROUPS * 256u;
  atomicOr(&slab[marks], 1u << lane);
  workgroupBarrier();
  let peers = atomicLoad(&slab[marks]);
  let first = atomicLoad(&slab[counter]);
  workgroupBarrier();
  if (lane == firstTrailingBit(peers)) {
    atomicStore(&slab[counter], first + countOneBits(peers));
    atomicStore(&slab[marks], 0u);
  }
  return first + countOneBits(peers & ((1u << lane) - 1u));
}
