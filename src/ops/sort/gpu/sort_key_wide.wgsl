// This snippet has keys of two words, the low one first, and makes the words of their ordinals, whose order
// is that of the keys, with every NaN as the largest. Globals: FLOAT; params (low, high).

alias Key = vec2u;
const KEY_WORDS: u32 = 2u;

fn ordinalWord(key: vec2u, word: u32) -> u32 {
  var ordinal = key ^ vec2u(params.low, params.high);
  if (FLOAT) {
    let sign = bitcast<u32>(bitcast<i32>(key.y) >> 31u);
    let magnitude = key.y & 0x7fffffffu;
    let isNaN = magnitude > 0x7ff00000u || (magnitude == 0x7ff00000u && key.x != 0u);
    ordinal = select(ordinal ^ vec2u(sign, sign | 0x80000000u), vec2u(0xffffffffu), isNaN);
  }
  return select(ordinal.x, ordinal.y, word == 1u);
}

fn wordOfKey(key: vec2u, word: u32) -> u32 {
  return select(key.x, key.y, word == 1u);
}

fn withWord(key: vec2u, word: u32, value: u32) -> vec2u {
  return select(vec2u(value, key.y), vec2u(key.x, value), word == 1u);
}
