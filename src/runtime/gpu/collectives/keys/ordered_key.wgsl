// This snippet turns float32 bits into u32 keys whose order is the order of the values, and back; -0 and +0
// share a key. It is for finite values only. It uses integers, because a float comparison may flush
// subnormals and so disagree with the bits.
// Globals: none.

fn keyOfBits(bits: u32) -> u32 {
  if (bits == 0x80000000u) {
    return 0x80000000u;
  }
  return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
}

fn bitsOfKey(key: u32) -> u32 {
  return select(~key, key & 0x7fffffffu, key >= 0x80000000u);
}
