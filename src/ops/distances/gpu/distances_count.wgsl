// distances.count: one workgroup counts a part of one query's pairs by bins, in workgroup memory where the
// bins fit (LOCAL), and adds the counts to the result. A snippet says how a pair gets its bin: count_float32
// or count_exact.
//
// A slot is the number of thresholds that a value is at or above: 0 is below all bins, 1 the first bin, and
// so on; bins + 1 is above all of them.
//
// Globals: THREADS, LOCAL, HELD (thresholds), HELD_SLOTS, COPIES, ROOT; params; thresholds, counts;
// countPart.

var<workgroup> held: array<u32, HELD>;
var<workgroup> heldSlots: array<atomic<u32>, HELD_SLOTS * COPIES>;

var<private> row: u32;
var<private> copy: u32;
var<private> counted: u32;
var<private> base: f32;
var<private> scale: f32;
var<private> isGuided: bool;

@each_workgroup(params.groups)
fn main(number: u32, lane: u32) {
  let query = number / params.parts;
  let part = number % params.parts;
  row = query * params.thresholdWords;
  counted = query * params.countWords;
  copy = lane % COPIES;
  base = bitcast<f32>(thresholds[row]);
  scale = bitcast<f32>(thresholds[row + 1u]);
  isGuided = thresholds[row + 2u] != 0u;
  if (LOCAL) {
    for (var i = lane; i <= params.bins; i += THREADS) {
      held[i] = thresholds[row + 4u + i];
    }
    workgroupBarrier();
  }
  countPart(lane, query, part * params.partRows, min(params.refRows, (part + 1u) * params.partRows));
  if (LOCAL) {
    workgroupBarrier();
    for (var slot = lane; slot < params.bins + 2u; slot += THREADS) {
      var sum = 0u;
      for (var i = 0u; i < COPIES; i++) {
        sum += atomicLoad(&heldSlots[slot * COPIES + i]);
      }
      if (sum > 0u) {
        atomicAdd(&counts[counted + placeOf(slot)], sum);
      }
    }
  }
}

// The counts of a query are those of its bins, then those below and above.
fn placeOf(slot: u32) -> u32 {
  if (slot == 0u) {
    return params.bins;
  }
  return select(slot - 1u, slot, slot > params.bins);
}

fn add(slot: u32, times: u32) {
  if (LOCAL) {
    atomicAdd(&heldSlots[slot * COPIES + copy], times);
  } else {
    atomicAdd(&counts[counted + placeOf(slot)], times);
  }
}

fn thresholdAt(i: u32) -> u32 {
  if (LOCAL) {
    return held[i];
  }
  return thresholds[row + 4u + i];
}

// Returns the slot of a value; the guess only saves steps.
fn slotOf(value: f32) -> u32 {
  let key = keyOfBits(bitcast<u32>(value));
  let most = params.bins + 1u;
  var slot = 0u;
  if (isGuided) {
    var guess = value;
    if (ROOT) {
      guess = sqrt(max(value, 0.0));
    }
    slot = u32(clamp((guess - base) * scale + 1.0, 0.0, f32(most)));
  } else {
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
  while (slot < most && thresholdAt(slot) <= key) {
    slot++;
  }
  while (slot > 0u && thresholdAt(slot - 1u) > key) {
    slot--;
  }
  return slot;
}
