// This snippet puts the keys of an ordered tile into scratch (1) or the output (2), those of a digit side by
// side, and finds where what they carry goes. Globals: ITEMS, THREADS; Key (sort_key_*); digitOf (sort_tile);
// takeKey (sort_stage); bases (sort_scatter); params (begin); scratchKeys, sortedKeys.

// A number that no place has, for what is not put anywhere.
const NOWHERE: u32 = 0xffff0000u;

fn targetOf(key: Key, place: u32, end: u32, digit: Digit) -> u32 {
  return select(NOWHERE, bases[digitOf(key, digit)] + place, place < end);
}

fn putKeys(sink: u32, thread: u32, end: u32, digit: Digit, targets: ptr<function, array<u32, ITEMS>>) {
  if (sink == 1u) {
    for (var i = 0u; i < ITEMS; i++) {
      let key = takeKey(i * THREADS + thread);
      (*targets)[i] = targetOf(key, i * THREADS + thread, end, digit);
      if (i * THREADS + thread < end) {
        scratchKeys[params.begin + (*targets)[i]] = key;
      }
    }
  } else {
    for (var i = 0u; i < ITEMS; i++) {
      let key = takeKey(i * THREADS + thread);
      (*targets)[i] = targetOf(key, i * THREADS + thread, end, digit);
      if (i * THREADS + thread < end) {
        sortedKeys[params.begin + (*targets)[i]] = key;
      }
    }
  }
}
