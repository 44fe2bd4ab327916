// This snippet has keys of one word, and makes their ordinals: u32 whose order is that of the keys, with
// every NaN as the largest. It uses integers, since WGSL may suppose that no f32 is a NaN. Globals: FLOAT;
// params (high).

alias Key = u32;
const KEY_WORDS: u32 = 1u;

fn ordinalWord(key: u32, word: u32) -> u32 {
  if (!FLOAT) {
    return key ^ params.high;
  }
  let sign = bitcast<u32>(bitcast<i32>(key) >> 31u);
  let isNaN = (key & 0x7fffffffu) > 0x7f800000u;
  return select(key ^ (sign | 0x80000000u) ^ params.high, 0xffffffffu, isNaN);
}

fn wordOfKey(key: u32, word: u32) -> u32 {
  return key;
}

fn withWord(key: u32, word: u32, value: u32) -> u32 {
  return value;
}
