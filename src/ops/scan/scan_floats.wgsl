// A scan for minima or maxima of f32 holds the words of a tile as they are, since making keys of all of them
// takes longer. Words of one sign, the favoured one, are further than all others, and among them the largest
// word is the furthest: as i32 for maxima, as u32 for minima. Among the others the furthest is the least u32.
// So a vector is compared without keys.
//
// A NaN of the favoured sign shows in the result of a vector, where its key lies beyond those of the
// infinities; a NaN of the other sign changes no result but that of vectors that have no number.
// Globals: identity (combine_*), keysOfFloats, floatsOfKeys, isNumberKey, areNaN (float_key).

fn heldOf(words: vec4u) -> vec4u {
  return words;
}

// A NaN that is neither favoured nor less than any number.
fn nothing() -> vec4u {
  return vec4u(wordOfKey(identity()));
}

fn sumOfHeld(held: vec4u) -> u32 {
  let furthest = furthestOf(held);
  let least = min(min(held.x, held.y), min(held.z, held.w));
  let word = select(least, furthest, isFavoured(furthest));
  return keysOfFloats(vec4u(word)).x;
}

fn isNumber(key: u32) -> bool {
  return isNumberKey(key);
}

fn onlyNumbers(words: vec4u) -> vec4u {
  return select(words, nothing(), areNaN(words));
}

fn isFavoured(word: u32) -> bool {
  return (word < 0x80000000u) == (identity() == 0u);
}

fn furthestOf(words: vec4u) -> u32 {
  return further(further(words.x, words.y), further(words.z, words.w));
}

// Returns the word of the favoured sign; of two, the further one.
fn further(a: u32, b: u32) -> u32 {
  if (identity() == 0u) {
    return bitcast<u32>(max(bitcast<i32>(a), bitcast<i32>(b)));
  }
  return max(a, b);
}

fn wordOfKey(key: u32) -> u32 {
  return floatsOfKeys(vec4u(key)).x;
}
