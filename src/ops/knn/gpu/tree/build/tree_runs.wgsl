// This pass of knn.tree says where runs of leaves begin. It halves the points, and the runs, again and again.
// A half ends where a cell of the first round does: at the largest of the cells that end within an eighth of
// the points from the middle, so that few boxes reach into two cells. No run has fewer points than `least`,
// or more than `most`.
//
// Globals: THREADS; params; nextStarts, points.

@each_lane(params.runs / 4u + 1u)
fn main(at: u32) {
  let run = 4u * at;
  points[params.rows + at] = vec4u(beginOf(run), beginOf(run + 1u), beginOf(run + 2u), beginOf(run + 3u));
}

fn beginOf(run: u32) -> u32 {
  if (run == 0u || run >= params.runs) {
    return select(params.rows, 0u, run == 0u);
  }
  var begin = 0u;
  var end = params.rows;
  var first = 0u;
  for (var half = params.runs / 2u; half > 0u; half /= 2u) {
    let split = splitOf(begin, end, half);
    if (run == first + half) {
      return split;
    }
    if (run < first + half) {
      end = split;
    } else {
      begin = split;
      first += half;
    }
  }
  return begin;
}

// Returns where the points from `begin` to `end` are cut, so that each side has so many runs.
fn splitOf(begin: u32, end: u32, runs: u32) -> u32 {
  let eighth = (end - begin) / 8u;
  let middle = begin + (end - begin) / 2u;
  let least = max(middle - eighth, max(begin + runs * params.least, end - min(end, runs * params.most)));
  let largest = min(middle + eighth, min(end - runs * params.least, begin + runs * params.most));
  var cell = 0u;
  for (var halving = params.halvings; halving > 0u; halving--) {
    let upper = cell + (1u << (halving - 1u));
    let split = nextStarts[upper];
    if (split >= least && split <= largest) {
      return split;
    }
    if (split < least) {
      cell = upper;
    }
  }
  return middle;
}
