// The first pass of distances.count lets one workgroup count a part of one query's pairs by bins, in
// workgroup memory where the bins fit (LOCAL), and adds the counts to the result. A snippet says how a pair
// gets its bin: count_float32 or count_exact.
//
// Globals: THREADS, LOCAL, HELD (thresholds), HELD_SLOTS, COPIES; params; thresholds, counts; takeQuery,
// row, placeOf (slots); countPart.

var<workgroup> held: array<u32, HELD>;
var<workgroup> heldSlots: array<atomic<u32>, HELD_SLOTS * COPIES>;

var<private> copy: u32;
var<private> counted: u32;

@each_workgroup(params.groups)
fn main(number: u32, lane: u32) {
  let query = number / params.parts;
  let part = number % params.parts;
  takeQuery(query);
  counted = query * params.countWords;
  copy = lane % COPIES;
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
