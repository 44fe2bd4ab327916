// u32 keys in the order that elements of a type have: whole numbers by value, floats -Infinity ... -0, +0 ... Infinity and
// every NaN as the largest key. `flip` is what u32 of that order differ in: it turns i32 into u32, and reverses the order.
// Globals: FLOAT; params (flip).

fn keyOfElement(bits: u32) -> u32 {
  if (!FLOAT) {
    return bits ^ params.flip;
  }
  let key = select(bits | 0x80000000u, ~bits, bits >= 0x80000000u) ^ params.flip;
  return select(key, 0xffffffffu, (bits & 0x7fffffffu) > 0x7f800000u);
}
