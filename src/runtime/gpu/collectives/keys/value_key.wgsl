// This snippet makes keys whose order is that of values, NaN last.
// Globals: keyOfBits, bitsOfKey (ordered_key).

const LAST_KEY: u32 = 0xffffffffu;

fn keyOfValue(bits: u32) -> u32 {
  return select(keyOfBits(bits), LAST_KEY, (bits & 0x7fffffffu) > 0x7f800000u);
}

fn valueOfKey(key: u32) -> f32 {
  return bitcast<f32>(select(bitsOfKey(key), 0x7fc00000u, key == LAST_KEY));
}
