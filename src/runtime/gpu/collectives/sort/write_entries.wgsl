// This kernel takes entries (key, index) from where the source has them to where the target wants them, one
// lane each.
//
// Globals: THREADS; params; readEntry of a source, writeEntry of a target.

@each_lane(params.count)
fn main(at: u32) {
  writeEntry(at / params.k, at, readEntry(at));
}
