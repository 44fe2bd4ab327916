// This kernel zeroes words of scratch: what an earlier scan, or anybody else, left there.
// Globals: THREADS, params.words, scratch.

@each_lane(params.words)
fn main(word: u32) {
  scratch[word] = 0u;
}
