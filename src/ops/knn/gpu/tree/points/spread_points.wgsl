// This kernel of knn.spread puts rows of up to three words where rows of four are, which end in 0. Words are
// no f32, so that nothing changes them.
//
// Globals: THREADS, DIMS; params; packed, rows.

@each_lane(params.count)
fn main(row: u32) {
  var words = vec4u();
  for (var j = 0u; j < DIMS; j++) {
    words[j] = packed[row * DIMS + j];
  }
  rows[row] = words;
}
