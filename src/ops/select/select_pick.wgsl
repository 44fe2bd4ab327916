// The second pass of a turn of select for large k: one workgroup per row takes the eight bits in which the
// k-th entry lies from what select_count counted, and clears the bins. The state of a row is four words: the
// bits found of the key and of the column, the rank of the k-th entry among those that agree with them, and
// whether all of those are wanted, so that no bits are left to find. In the end the state's first two words
// are the last entry wanted, and the third one counts those gathered.
//
// Globals: THREADS (256: one lane per bin); params; scratch; scanExclusive.

const_assert THREADS == 256u;

var<workgroup> agreed: u32;

@each_workgroup(params.rows)
fn main(row: u32, lane: u32) {
  let bin = params.bins + row * THREADS + lane;
  let state = params.states + row * 4u;
  if (params.first == 1u) {
    scratch[bin] = 0u;
    if (lane < 4u) {
      scratch[state + lane] = select(0u, params.k, lane == 2u);
    }
    return;
  }
  if (lane == 0u) {
    agreed = scratch[state + 3u];
  }
  if (workgroupUniformLoad(&agreed) != 0u) {
    return;
  }
  let rank = scratch[state + 2u];
  let size = scratch[bin];
  scratch[bin] = 0u;
  let before = scanExclusive(lane, size);
  storageBarrier();
  if (before < rank && rank - before <= size) {
    takeDigit(state, lane, rank - before, rank - before == size);
  }
}

fn takeDigit(state: u32, digit: u32, rank: u32, all: bool) {
  let rest = select(0u, (1u << params.shift) - 1u, all);
  let word = state + params.byColumn;
  scratch[word] |= (digit << params.shift) | rest;
  if (all && params.byColumn == 0u) {
    scratch[state + 1u] = 0xffffffffu;
  }
  scratch[state + 2u] = select(rank, 0u, all);
  scratch[state + 3u] = select(0u, 1u, all);
}
