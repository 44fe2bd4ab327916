// This snippet compares ordinals of keys, of which only some bits count. Globals: params (maskLow, maskHigh);
// sort_key_*.

fn ordinalOf(key: Key) -> vec2u {
  let low = ordinalWord(key, 0u) & params.maskLow;
  return vec2u(low, select(0u, ordinalWord(key, 1u) & params.maskHigh, KEY_WORDS == 2u));
}

fn isBefore(a: vec2u, b: vec2u) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}
