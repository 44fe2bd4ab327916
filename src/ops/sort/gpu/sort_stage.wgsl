// This snippet hands keys and words from one lane to another through the slab, once its counters are done
// with. Places are turned within each 32 by where the 32 are, so that lanes whose places are a multiple of 32
// apart, as those of sorted keys are, meet different banks. Globals: Key, KEY_WORDS, wordOfKey, withWord
// (sort_key_*); TILE (a multiple of 32), slab (sort_tile).

// It waits until all lanes have read the slab. Call it in uniform control flow.
fn openStage() {
  workgroupBarrier();
}

fn leaveKey(place: u32, key: Key) {
  for (var word = 0u; word < KEY_WORDS; word++) {
    atomicStore(&slab[word * TILE + slotOf(place)], wordOfKey(key, word));
  }
}

fn takeKey(place: u32) -> Key {
  var key: Key;
  for (var word = 0u; word < KEY_WORDS; word++) {
    key = withWord(key, word, atomicLoad(&slab[word * TILE + slotOf(place)]));
  }
  return key;
}

fn leaveWord(place: u32, word: u32) {
  atomicStore(&slab[slotOf(place)], word);
}

fn takeWord(place: u32) -> u32 {
  return atomicLoad(&slab[slotOf(place)]);
}

fn slotOf(place: u32) -> u32 {
  return place ^ ((place >> 5u) & 31u);
}
