// This kernel zeroes words of scratch: what an earlier sort, or anybody else, left there.
// Globals: THREADS, params.words, scratch.

@each_lane(params.words)
fn main(word: u32) {
  atomicStore(&scratch[word], 0u);
}
