// With this snippet the parts of knn_few meet in workgroup memory.
//
// Globals: QUERIES, ROW_LANES, TEAMS, THREADS, PAIRS (8, 16 or 32); Part (few_rows or few_bytes); join
// (few_bytes, or that of one metric); write.

// The parts of this many pairs meet at a time. There is no loop over rounds, which would take the sums out of
// registers.
const ROUND: u32 = min(8u, PAIRS);
const_assert PAIRS == ROUND || PAIRS == 2u * ROUND || PAIRS == 4u * ROUND;

var<workgroup> parts: array<Part, ROUND * THREADS>;

// Call it in uniform control flow.
fn joinParts(sums: ptr<function, array<Part, PAIRS>>, lane: u32, firstRef: u32) {
  joinRound(0u, sums, lane, firstRef);
  if (PAIRS > ROUND) {
    joinRound(PAIRS / 2u, sums, lane, firstRef);
  }
  if (PAIRS > 2u * ROUND) {
    joinRound(ROUND, sums, lane, firstRef);
    joinRound(PAIRS - ROUND, sums, lane, firstRef);
  }
}

fn joinRound(begin: u32, sums: ptr<function, array<Part, PAIRS>>, lane: u32, firstRef: u32) {
  for (var i = 0u; i < ROUND; i++) {
    parts[i * THREADS + partOf(lane % ROW_LANES, lane / ROW_LANES)] = (*sums)[begin + i];
  }
  workgroupBarrier();
  for (var at = lane; at < ROUND * TEAMS; at += THREADS) {
    let first = at / TEAMS * THREADS;
    var sum = parts[first + partOf(0u, at % TEAMS)];
    for (var i = 1u; i < ROW_LANES; i++) {
      sum = join(sum, parts[first + partOf(i, at % TEAMS)]);
    }
    let pair = begin + at / TEAMS;
    write(pair, firstRef + rowOf(pair / QUERIES, at % TEAMS), sum);
  }
  workgroupBarrier();
}

// Returns the row of number r of a team's references, so that what lanes next to each other write lies side
// by side.
fn rowOf(r: u32, team: u32) -> u32 {
  return r * TEAMS + team;
}

// Returns the place of part i of a team among those of a pair. Neither teams nor parts next to each other
// meet in a bank.
fn partOf(i: u32, team: u32) -> u32 {
  return i * TEAMS + (team + 4u * i) % TEAMS;
}
