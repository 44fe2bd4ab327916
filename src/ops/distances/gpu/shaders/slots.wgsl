// This snippet finds the slot of a value: how many thresholds it is at or above. Slot 0 is below all bins, 1
// the first bin, and so on; bins + 1 is above all of them.
//
// Between the edges the place of a distance among the bins tells its slot without a look at thresholds:
// distance * scale - offset, computed in float32, is surely off by less than the guard of the query
// (distances_thresholds.wgsl). The guard is negative where all distances of the query are in its first bin.
//
// Globals: ROOT; params (bins, thresholdWords); thresholds; thresholdAt; keyOfBits.

// This stands for a slot where it takes a closer look.
const OPEN = 0xfffffffeu;

var<private> row: u32;
var<private> scale: f32;
var<private> offset: f32;
var<private> guard: f32;
var<private> isGuided: bool;

fn takeQuery(query: u32) {
  row = query * params.thresholdWords;
  scale = bitcast<f32>(thresholds[row + 1u]);
  offset = bitcast<f32>(thresholds[row]) * scale;
  isGuided = thresholds[row + 2u] != 0u;
  guard = bitcast<f32>(thresholds[row + 3u]);
}

// Returns the slots of all that is within `reach` bins of these distances, or OPEN.
fn slotsWithin(distances: vec4f, reach: vec4f) -> vec4u {
  let end = f32(params.bins) + 0.5;
  let places = clamp(fma(distances, vec4f(scale), vec4f(-offset)), vec4f(-0.5), vec4f(end));
  let isSure = abs(places - round(places)) > reach;
  return select(vec4u(OPEN), vec4u(floor(places) + 1.0), isSure);
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
  return u32(clamp(fma(guess, scale, 1.0 - offset), 0.0, f32(params.bins + 1u)));
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
