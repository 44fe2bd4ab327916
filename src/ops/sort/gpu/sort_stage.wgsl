// This snippet hands keys and words from one lane to another through the slab, once its counters are done
// with. Globals: Key, KEY_WORDS, wordOfKey, withWord (sort_key_*); TILE, slab (sort_tile).

// It waits until all lanes have read the slab. Call it in uniform control flow.
fn openStage() {
  workgroupBarrier();
}

fn leaveKey(place: u32, key: Key) {
  for (var word = 0u; word < KEY_WORDS; word++) {
    atomicStore(&slab[word * TILE + place], wordOfKey(key, word));
  }
}

fn takeKey(place: u32) -> Key {
  var key: Key;
  for (var word = 0u; word < KEY_WORDS; word++) {
    key = withWord(key, word, takeWord(word * TILE + place));
  }
  return key;
}

fn leaveWord(place: u32, word: u32) {
  atomicStore(&slab[place], word);
}

fn takeWord(place: u32) -> u32 {
  return atomicLoad(&slab[place]);
}
