// Finds the k-th smallest of many keys by one workgroup, some bits a turn from the top: it counts the keys
// that agree with the bits found so far by their next bits, and takes those in which the k-th one lies. Call
// findKth in uniform control flow.
// Globals: THREADS (2^DIGIT_BITS), DIGIT_BITS; Piece, countDigits (calls countDigit or countVector for each
// key); scanExclusive (workgroup_scan).

struct Kth {
  key: u32,
  // The number of keys before it.
  before: u32,
}

// A digit holds the bits of the key that are found, which bits these are, and where the digit to be counted
// begins.
struct Digit {
  found: u32,
  mask: u32,
  shift: u32,
}

var<workgroup> digitBins: array<atomic<u32>, THREADS>;
var<workgroup> chosenDigit: vec3u;

// @param rank from 1 on; for a sample, the key found may exceed a few more keys than that
fn findKth(lane: u32, piece: Piece, length: u32, rank: u32, sampled: bool) -> Kth {
  var digit = Digit(0u, 0u, 32u);
  var left = rank;
  loop {
    digit.shift -= min(digit.shift, DIGIT_BITS);
    atomicStore(&digitBins[lane], 0u);
    workgroupBarrier();
    countDigits(lane, piece, length, digit, sampled);
    workgroupBarrier();
    let size = atomicLoad(&digitBins[lane]);
    let before = scanExclusive(lane, size);
    if (before < left && left - before <= size) {
      chosenDigit = vec3u(lane, before, size);
    }
    let chosen = workgroupUniformLoad(&chosenDigit);
    digit.found |= chosen.x << digit.shift;
    digit.mask = 0xffffffffu << digit.shift;
    left -= chosen.y;
    if (digit.shift == 0u) {
      break;
    }
    if (sampled && chosen.z - left <= rank / 16u) {
      digit.found |= ~digit.mask;
      break;
    }
  }
  return Kth(digit.found, rank - left);
}

fn countDigit(key: u32, digit: Digit, times: u32) {
  if ((key & digit.mask) == digit.found) {
    atomicAdd(&digitBins[(key >> digit.shift) & (THREADS - 1u)], times);
  }
}

// Counts keys that agree at once, so that lanes wait less for each other.
fn countVector(keys: vec4u, digit: Digit) {
  let other = (keys ^ keys.yzwx) >> vec4u(digit.shift);
  if ((other.x | other.y | other.z | other.w) == 0u) {
    countDigit(keys.x, digit, 4u);
    return;
  }
  countDigit(keys.x, digit, 1u);
  countDigit(keys.y, digit, 1u);
  countDigit(keys.z, digit, 1u);
  countDigit(keys.w, digit, 1u);
}
