// select for small k: one workgroup finds the k first entries of a piece of a row, about as fast in any order
// of the piece. A sample from all over the piece gives a limit that some more than k keys are expected not to
// exceed; one pass collects those, and they are sorted. Where the sample misled, or many share the limit, the
// k-th key is found bit by bit over the whole piece, and another pass gathers. Entries come from one of
// select_from_*, and the k go to one of select_to_*.
//
// Globals: THREADS, CAPACITY (at least k, a multiple of 4); params (rank: of the limit in a sample of
// SAMPLE); sourceBegin, roughKeys, exactKey, sourceIndex, writeEntry; workgroup_sort; workgroup_scan;
// workgroup_kth.

const NOTHING = vec2u(0xffffffffu);
// The sample lies where the entries will.
const SAMPLE = 2u * CAPACITY;
// The number of vectors that lie together in the sample, 32 bytes of values.
const RUN = 2u;
const RUNS = SAMPLE / 4u / RUN;

struct Piece {
  // The number of elements, and of whole vectors among them.
  row: u32,
  begin: u32,
  end: u32,
  first: u32,
  last: u32,
}

var<workgroup> taken: atomic<u32>;
var<workgroup> below: atomic<u32>;
var<workgroup> upTo: atomic<u32>;
var<workgroup> agreed: vec2u;

// The entries this lane found below the limit, and up to it; true where there was no room for one of them.
var<private> found: vec2u;
var<private> full: bool;

@each_workgroup(params.groups)
fn main(number: u32, lane: u32) {
  let row = number / params.pieces;
  let piece = pieceOf(sourceBegin(row), number % params.pieces);
  let length = piece.end - piece.begin;
  let wanted = min(params.k, length);
  var limit = Kth(0xffffffffu, 0u);
  if (length > CAPACITY || length > 4u * wanted) {
    let sample = takeSample(lane, piece, wanted);
    limit = findKth(lane, piece, sample.x, sample.y, true);
  }
  let sums = collect(lane, piece, limit.key);
  var count = sums.y;
  if (sums.y < wanted || sums.y > CAPACITY) {
    limit.before = sums.x;
    if (sums.y < wanted || sums.x >= wanted) {
      limit = findKth(lane, piece, length, wanted, false);
    }
    gather(lane, piece, limit, wanted);
    count = wanted;
  }
  sortEntries(lane, count);
  for (var at = lane; at < params.k; at += THREADS) {
    var entry = NOTHING;
    if (at < count) {
      entry = vec2u(entryKeys[at], entryIndices[at]);
    }
    writeEntry(row, number * params.k + at, entry);
  }
}

fn pieceOf(row: u32, number: u32) -> Piece {
  let end = row + min(params.cols, (number + 1u) * params.pieceCols);
  let begin = min(end, row + number * params.pieceCols);
  let first = (begin + 3u) / 4u;
  return Piece(row, begin, end, first, max(first, end / 4u));
}

// Takes a sample. It returns the number of keys it took, and the rank of the limit among them: the rank
// wanted where they are the whole piece.
fn takeSample(lane: u32, piece: Piece, wanted: u32) -> vec2u {
  let length = piece.end - piece.begin;
  if (length <= SAMPLE) {
    for (var i = lane; i < length; i += THREADS) {
      putSample(i, keyAt(piece.begin + i));
    }
    return vec2u(length, wanted);
  }
  // One run is taken from each of as many equal stretches, anywhere in it, lest it follows a period of the
  // data.
  let vectors = piece.last - piece.first;
  let stretch = vectors / RUNS;
  for (var i = lane; i < RUNS * RUN; i += THREADS) {
    let run = i / RUN;
    let begin = run * stretch + min(run, vectors % RUNS);
    let hash = (run * 0x9e3779b1u) >> 16u;
    let vector = begin + hash % (max(stretch, RUN) - RUN + 1u) + i % RUN;
    let keys = exactKeys(piece.first + min(vector, vectors - 1u));
    for (var j = 0u; j < 4u; j++) {
      putSample(4u * i + j, keys[j]);
    }
  }
  return vec2u(SAMPLE, params.rank);
}

fn putSample(at: u32, key: u32) {
  if (at < CAPACITY) {
    entryKeys[at] = key;
  } else {
    entryIndices[at - CAPACITY] = key;
  }
}

// Counts the keys of the sample, or of the piece, for findKth.
fn countDigits(lane: u32, piece: Piece, length: u32, digit: Digit, sampled: bool) {
  if (sampled) {
    for (var i = lane; i < length; i += THREADS) {
      var key = entryKeys[min(i, CAPACITY - 1u)];
      if (i >= CAPACITY) {
        key = entryIndices[i - CAPACITY];
      }
      countDigit(key, digit, 1u);
    }
    return;
  }
  for (var at = piece.first + lane; at < piece.last; at += 4u * THREADS) {
    for (var i = 0u; i < 4u; i++) {
      if (at + i * THREADS < piece.last) {
        countVector(exactKeys(at + i * THREADS), digit);
      }
    }
  }
  let ends = endsOf(lane, piece);
  for (var i = ends.x; i < ends.y; i++) {
    countDigit(keyAt(i), digit, 1u);
  }
}

// Handles the elements of this lane that are in no whole vector: those of the first lane are before them,
// those of the last one after.
fn endsOf(lane: u32, piece: Piece) -> vec2u {
  if (lane == 0u) {
    return vec2u(piece.begin, min(4u * piece.first, piece.end));
  }
  return vec2u(select(piece.end, 4u * piece.last, lane == THREADS - 1u), piece.end);
}

// Stores entries up to the limit as long as there is room. It counts those up to the limit, and those below
// it; the latter are reported only when there was no room.
fn collect(lane: u32, piece: Piece, limit: u32) -> vec2u {
  var at = piece.first + lane;
  for (; at + 3u * THREADS < piece.last; at += 4u * THREADS) {
    // Four loads are on their way at a time.
    let a = roughKeys(at);
    let b = roughKeys(at + THREADS);
    let c = roughKeys(at + 2u * THREADS);
    let d = roughKeys(at + 3u * THREADS);
    if (any(min(min(a, b), min(c, d)) <= vec4u(limit))) {
      takeVector(a, at, piece.row, limit);
      takeVector(b, at + THREADS, piece.row, limit);
      takeVector(c, at + 2u * THREADS, piece.row, limit);
      takeVector(d, at + 3u * THREADS, piece.row, limit);
    }
  }
  for (; at < piece.last; at += THREADS) {
    takeVector(roughKeys(at), at, piece.row, limit);
  }
  let ends = endsOf(lane, piece);
  for (var i = ends.x; i < ends.y; i++) {
    take(keyAt(i), i, piece.row, limit);
  }
  workgroupBarrier();
  if (lane == 0u) {
    agreed = vec2u(0u, atomicLoad(&taken));
  }
  let sums = workgroupUniformLoad(&agreed);
  if (sums.y <= CAPACITY) {
    return sums;
  }
  atomicAdd(&below, found.x);
  atomicAdd(&upTo, found.y);
  workgroupBarrier();
  if (lane == 0u) {
    agreed = vec2u(atomicLoad(&below), atomicLoad(&upTo));
  }
  return workgroupUniformLoad(&agreed);
}

fn takeVector(rough: vec4u, vector: u32, row: u32, limit: u32) {
  for (var j = 0u; j < 4u; j++) {
    if (rough[j] <= limit) {
      take(exactKey(rough[j]), 4u * vector + j, row, limit);
    }
  }
}

fn take(key: u32, element: u32, row: u32, limit: u32) {
  if (key > limit) {
    return;
  }
  found += vec2u(select(0u, 1u, key < limit), 1u);
  if (full) {
    return;
  }
  let slot = atomicAdd(&taken, 1u);
  full = slot >= CAPACITY;
  if (!full) {
    entryKeys[slot] = key;
    entryIndices[slot] = sourceIndex(element, row);
  }
}

// Stores all entries below the limit, of which there are fewer than wanted, and the first ones at it, in
// order.
fn gather(lane: u32, piece: Piece, limit: Kth, wanted: u32) {
  if (lane == 0u) {
    atomicStore(&taken, 0u);
  }
  workgroupBarrier();
  var next = limit.before;
  for (var tile = piece.begin / 4u; 4u * tile < piece.end; tile += 4u * THREADS) {
    var equal = 0u;
    for (var i = 0u; i < 16u; i += 4u) {
      let vector = tile + 4u * lane + i / 4u;
      let rough = roughKeys(vector);
      for (var j = 0u; j < 4u; j++) {
        let element = 4u * vector + j;
        let key = exactKey(rough[j]);
        if (element >= piece.begin && element < piece.end && key <= limit.key) {
          if (key == limit.key) {
            equal |= 1u << (i + j);
          } else {
            let slot = atomicAdd(&taken, 1u);
            entryKeys[slot] = key;
            entryIndices[slot] = sourceIndex(element, piece.row);
          }
        }
      }
    }
    var slot = next + scanExclusive(lane, countOneBits(equal));
    for (; equal != 0u && slot < wanted; equal &= equal - 1u) {
      entryKeys[slot] = limit.key;
      entryIndices[slot] = sourceIndex(4u * (tile + 4u * lane) + firstTrailingBit(equal), piece.row);
      slot++;
    }
    next += workgroupUniformLoad(&scanTotal);
    if (limit.before == 0u && next >= wanted) {
      break;
    }
  }
}

fn keyAt(element: u32) -> u32 {
  return exactKey(roughKeys(element / 4u)[element % 4u]);
}

fn exactKeys(vector: u32) -> vec4u {
  let rough = roughKeys(vector);
  return vec4u(exactKey(rough.x), exactKey(rough.y), exactKey(rough.z), exactKey(rough.w));
}
