// This snippet takes roots as float64 rounds them. Globals: none.

// Returns the bits of the root of a float64 whose bits are given, the low word in x: zero, or positive,
// normal and finite. It finds 54 bits of the root, one after the other, as on paper. The last of them rounds:
// no root lies halfway between two float64, since its square would need more bits than they have.
fn rootOf(bits: vec2u) -> vec2u {
  if (all(bits == vec2u())) {
    return bits;
  }
  let exponent = i32(bits.y >> 20u) - 1023;
  // A number times an even power of two has its 53 bits at the top.
  let by = 10u + (u32(exponent) & 1u);
  let fraction = (bits.y & 0xfffffu) | 0x100000u;
  var digits = vec2u(bits.x << by, (fraction << by) | (bits.x >> (32u - by)));
  var rest = vec2u();
  var root = vec2u();
  for (var i = 0u; i < 54u; i++) {
    rest = vec2u((rest.x << 2u) | (digits.y >> 30u), (rest.y << 2u) | (rest.x >> 30u));
    digits = vec2u(digits.x << 2u, (digits.y << 2u) | (digits.x >> 30u));
    let trial = vec2u((root.x << 2u) | 1u, (root.y << 2u) | (root.x >> 30u));
    root = vec2u(root.x << 1u, (root.y << 1u) | (root.x >> 31u));
    if (rest.y > trial.y || (rest.y == trial.y && rest.x >= trial.x)) {
      rest = vec2u(rest.x - trial.x, rest.y - trial.y - u32(rest.x < trial.x));
      root.x |= 1u;
    }
  }
  let low = root.x + 1u;
  let high = root.y + u32(low == 0u);
  return vec2u((low >> 1u) | (high << 31u), (high >> 1u) + (u32((exponent >> 1u) + 1022) << 20u));
}
