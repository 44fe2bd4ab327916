// This snippet finds the slot of a value: how many thresholds it is at or above. Slot 0 is below all bins, 1
// the first bin, and so on; bins + 1 is above all of them. Globals: ROOT; params (bins, thresholdWords);
// thresholds; thresholdAt; keyOfBits.

var<private> row: u32;
var<private> base: f32;
var<private> scale: f32;
var<private> isGuided: bool;

fn takeQuery(query: u32) {
  row = query * params.thresholdWords;
  base = bitcast<f32>(thresholds[row]);
  scale = bitcast<f32>(thresholds[row + 1u]);
  isGuided = thresholds[row + 2u] != 0u;
}

// The counts of a query are those of its bins, then those below and above.
fn placeOf(slot: u32) -> u32 {
  if (slot == 0u) {
    return params.bins;
  }
  return select(slot - 1u, slot, slot > params.bins);
}

// Returns a slot that is near that of a value: it only saves steps.
fn guessOf(value: f32) -> u32 {
  var guess = value;
  if (ROOT) {
    guess = sqrt(max(value, 0.0));
  }
  return u32(clamp((guess - base) * scale + 1.0, 0.0, f32(params.bins + 1u)));
}

fn slotOf(value: f32) -> u32 {
  let key = keyOfBits(bitcast<u32>(value));
  let most = params.bins + 1u;
  var slot = 0u;
  if (!isGuided) {
    var end = most;
    while (slot < end) {
      let middle = (slot + end) / 2u;
      if (thresholdAt(middle) <= key) {
        slot = middle + 1u;
      } else {
        end = middle;
      }
    }
    return slot;
  }
  slot = guessOf(value);
  while (slot < most && thresholdAt(slot) <= key) {
    slot++;
  }
  while (slot > 0u && thresholdAt(slot - 1u) > key) {
    slot--;
  }
  return slot;
}
