// This snippet keeps the taps of a mask in workgroup memory.
// Globals: THREADS, PARTS, Vec; params.taps; tapAt.

var<workgroup> weights: array<Vec, PARTS>;

fn loadWeights(number: u32, lane: u32) {
  for (var at = lane; 4u * at < params.taps; at += THREADS) {
    var weight = Vec();
    for (var i = 0u; i < min(4u, params.taps - 4u * at); i++) {
      weight[i] = tapAt(number, 4u * at + i);
    }
    weights[at] = weight;
  }
  workgroupBarrier();
}
