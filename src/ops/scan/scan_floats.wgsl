// What a scan for minima or maxima of f32 holds of a tile: its words as they are, since making keys of all of them takes longer. Those of
// one sign, the favoured one, are further than all others, and among them the largest word is the furthest: as i32 for maxima,
// as u32 for minima. Among the others it is the least u32. So a vector is compared without keys.
//
// NaN of the favoured sign shows in the result of a vector, where its key lies beyond those of the infinities; NaN of the other
// sign changes no result but that of vectors that have no number.
// Globals: identity (combine_*), signs (value_key_f32).

// The keys of -Infinity and of Infinity.
const LEAST_FLOAT: u32 = 0x007fffffu;
const LARGEST_FLOAT: u32 = 0xff800000u;

fn heldOf(words: vec4u) -> vec4u {
  return words;
}

// NaN that is neither favoured nor less than any number.
fn nothing() -> vec4u {
  return vec4u(wordOfKey(identity()));
}

fn sumOfHeld(held: vec4u) -> u32 {
  let furthest = furthestOf(held);
  let least = min(min(held.x, held.y), min(held.z, held.w));
  let word = select(least, furthest, isFavoured(furthest));
  return word ^ (signs(vec4u(word)).x | 0x80000000u);
}

fn isNumber(key: u32) -> bool {
  return key - LEAST_FLOAT <= LARGEST_FLOAT - LEAST_FLOAT;
}

fn onlyNumbers(words: vec4u) -> vec4u {
  return select(words, nothing(), (words & vec4u(0x7fffffffu)) > vec4u(0x7f800000u));
}

fn isFavoured(word: u32) -> bool {
  return (word < 0x80000000u) == (identity() == 0u);
}

fn furthestOf(words: vec4u) -> u32 {
  return further(further(words.x, words.y), further(words.z, words.w));
}

// The one of the favoured sign; of two, the further one.
fn further(a: u32, b: u32) -> u32 {
  if (identity() == 0u) {
    return bitcast<u32>(max(bitcast<i32>(a), bitcast<i32>(b)));
  }
  return max(a, b);
}

fn wordOfKey(key: u32) -> u32 {
  return key ^ (~signs(vec4u(key)).x | 0x80000000u);
}
