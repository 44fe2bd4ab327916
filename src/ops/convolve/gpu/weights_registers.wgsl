// This snippet keeps the taps of a mask in registers of each lane, so that no lane waits for another. It is
// for few taps: more take registers that the samples need. Globals: PARTS, LANES (4), Vec; params.taps;
// tapAt. Loops up to PARTS and LANES are written out.

var<private> weights: array<Vec, PARTS>;

fn loadWeights(number: u32, lane: u32) {
  for (var part = 0u; part < PARTS; part++) {
    for (var i = 0u; i < LANES; i++) {
      if (4u * part + i < params.taps) {
        weights[part][i] = tapAt(number, 4u * part + i);
      }
    }
  }
}
