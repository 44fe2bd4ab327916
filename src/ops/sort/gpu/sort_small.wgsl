// This kernel sorts rows that fit a tile and have more than FEW keys, a workgroup each, by one digit after
// the other, the lowest first. Other rows are left to others. Globals: THREADS, ITEMS, FEW, DIGITS, VALUES (1
// where keys carry words); params (rows, digits); keys, sortedKeys, firstValue and putValue (sort_values_*),
// rowBegin (sort_rows_*); sort_tile, sort_rank_*,
// sort_stage.

@each_workgroup(params.rows)
fn main(row: u32, thread: u32) {
  let begin = rowBegin(row);
  let count = rowBegin(row + 1u) - begin;
  if (count <= FEW || count > TILE) {
    return;
  }
  var held: array<Key, ITEMS>;
  var values: array<u32, ITEMS>;
  for (var i = 0u; i < ITEMS; i++) {
    let place = placeOf(thread, i);
    if (place < count) {
      held[i] = keys[begin + place];
      values[i] = firstValue(begin, place);
    }
  }
  for (var number = 0u; number < DIGITS; number++) {
    let packed = params.digits[number];
    let digit = Digit(packed.x, packed.y, packed.z);
    if (number > 0u) {
      clearCounters(thread);
    }
    countKeys(thread, &held, count, digit);
    startDigits(thread, countTile(thread));
    var places: array<u32, ITEMS>;
    placeKeys(thread, &held, count, digit, &places);
    openStage();
    for (var i = 0u; i < ITEMS; i++) {
      leaveKey(places[i], held[i]);
    }
    workgroupBarrier();
    for (var i = 0u; i < ITEMS; i++) {
      held[i] = takeKey(placeOf(thread, i));
    }
    if (VALUES > 0u) {
      workgroupBarrier();
      for (var i = 0u; i < ITEMS; i++) {
        leaveWord(places[i], values[i]);
      }
      workgroupBarrier();
      for (var i = 0u; i < ITEMS; i++) {
        values[i] = takeWord(placeOf(thread, i));
      }
    }
  }
  for (var i = 0u; i < ITEMS; i++) {
    let place = placeOf(thread, i);
    if (place < count) {
      sortedKeys[begin + place] = held[i];
      putValue(begin + place, values[i]);
    }
  }
}
