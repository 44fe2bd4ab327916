// This snippet ranks keys within a group of LANES lanes where there are no subgroups: lanes see by marks in
// workgroup memory who has the same digit, and the last of them adds all to the group's counter. Marks of
// one round are taken away while those of the next are set, so that two barriers a round suffice. Globals:
// LANES (32), GROUPS, ITEMS; slab, digitAt, placeOf (sort_tile).

// It finds the places of keys in the ordered tile; counters begin where the keys of the group do. Call it in
// uniform control flow.
fn placeKeys(
  thread: u32,
  held: ptr<function, array<Key, ITEMS>>,
  valid: u32,
  digit: Digit,
  places: ptr<function, array<u32, ITEMS>>,
) {
  let lane = thread % LANES;
  for (var i = 0u; i < ITEMS; i++) {
    let counter = thread / LANES * 256u + digitAt((*held)[i], placeOf(thread, i), valid, digit);
    let marks = counter + (1u + (i & 1u)) * GROUPS * 256u;
    atomicOr(&slab[marks], 1u << lane);
    workgroupBarrier();
    let peers = atomicLoad(&slab[marks]);
    let first = atomicLoad(&slab[counter]);
    workgroupBarrier();
    if (lane == firstLeadingBit(peers)) {
      atomicStore(&slab[counter], first + countOneBits(peers));
      atomicStore(&slab[marks], 0u);
    }
    (*places)[i] = first + countOneBits(peers & ((1u << lane) - 1u));
  }
}
