// Scans the words of scan_floats: words are compared after a number of the favoured sign, and where no word
// so far is of that sign; elsewhere keys are compared.
// Globals: isNumber, isFavoured, further, furthestOf, wordOfKey (scan_floats), valuesOf, elementsOf
// (value_key_f32), runFrom (scan_store), params.exclusive.

fn isEasy(before: u32) -> bool {
  return isNumber(before) && isFavoured(wordOfKey(before));
}

fn easyElements(before: u32, words: vec4u) -> vec4u {
  let zero = wordOfKey(before);
  let one = further(zero, words.x);
  let two = further(one, words.y);
  let three = further(two, words.z);
  let four = further(three, words.w);
  return select(vec4u(one, two, three, four), vec4u(zero, one, two, three), params.exclusive != 0u);
}

fn otherElements(before: u32, words: vec4u) -> vec4u {
  let zero = wordOfKey(before);
  if (isNumber(before) && !isFavoured(further(zero, furthestOf(words)))) {
    let one = min(zero, words.x);
    let two = min(one, words.y);
    let three = min(two, words.z);
    let four = min(three, words.w);
    return select(vec4u(one, two, three, four), vec4u(zero, one, two, three), params.exclusive != 0u);
  }
  return elementsOf(runFrom(before, valuesOf(words)));
}
