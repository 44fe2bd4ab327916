// This snippet moves what the keys of a tile carry, from the input (0), from scratch (1) or from the output
// (2) to one of the latter. Globals: ITEMS, THREADS; placeOf (sort_tile); leaveWord, takeWord (sort_stage);
// NOWHERE (sort_put); firstValue (sort_values_*); sourceOf, sinkOf (sort_state); params (begin);
// sortedValues, scratchValues.

// Call it in uniform control flow; it opens with a barrier.
fn moveValues(
  route: u32,
  before: u32,
  valid: u32,
  thread: u32,
  places: ptr<function, array<u32, ITEMS>>,
  targets: ptr<function, array<u32, ITEMS>>,
) {
  var values: array<u32, ITEMS>;
  let first = params.begin + before;
  switch (sourceOf(route)) {
    case 0u: {
      for (var i = 0u; i < ITEMS; i++) {
        values[i] = firstValue(params.begin, before + min(placeOf(thread, i), valid - 1u));
      }
    }
    case 1u: {
      for (var i = 0u; i < ITEMS; i++) {
        values[i] = scratchValues[first + min(placeOf(thread, i), valid - 1u)];
      }
    }
    default: {
      for (var i = 0u; i < ITEMS; i++) {
        values[i] = sortedValues[first + min(placeOf(thread, i), valid - 1u)];
      }
    }
  }
  workgroupBarrier();
  for (var i = 0u; i < ITEMS; i++) {
    leaveWord((*places)[i], values[i]);
  }
  workgroupBarrier();
  for (var i = 0u; i < ITEMS; i++) {
    values[i] = takeWord(i * THREADS + thread);
  }
  if (sinkOf(route) == 1u) {
    for (var i = 0u; i < ITEMS; i++) {
      if ((*targets)[i] != NOWHERE) {
        scratchValues[params.begin + (*targets)[i]] = values[i];
      }
    }
  } else {
    for (var i = 0u; i < ITEMS; i++) {
      if ((*targets)[i] != NOWHERE) {
        sortedValues[params.begin + (*targets)[i]] = values[i];
      }
    }
  }
}
