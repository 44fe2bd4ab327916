// This snippet leaves a value of a chained scan for others: in two words, each with a mark and half of the
// value.
// Globals: Value, valueOfWord (scan_state).

const READY: u32 = 0x10000u;

fn lowHalf(word: u32) -> u32 {
  return READY | (word & 0xffffu);
}

fn highHalf(word: u32) -> u32 {
  return READY | (word >> 16u);
}

fn isLeft(low: u32, high: u32) -> bool {
  return (low & high & READY) != 0u;
}

fn valueOfHalves(low: u32, high: u32) -> Value {
  return valueOfWord((low & 0xffffu) | (high << 16u));
}
