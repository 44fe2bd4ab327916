// This snippet says where leaves begin. Leaves that follow each other are a run, which divides its points
// evenly among them. Where runs begin stands behind the points. Globals: points; params (rows, runLevels).

// Returns where a leaf begins, and where it ends.
fn leafSpan(leaf: u32) -> vec2u {
  let run = leaf >> params.runLevels;
  let begin = runBegin(run);
  let count = runBegin(run + 1u) - begin;
  let place = leaf - (run << params.runLevels);
  return begin + ((vec2u(place, place + 1u) * count) >> vec2u(params.runLevels));
}

// Returns where a leaf begins, or, of the leaf after the last, how many points there are.
fn leafBegin(leaf: u32) -> u32 {
  if (leaf == params.first) {
    return params.rows;
  }
  return leafSpan(leaf).x;
}

fn runBegin(run: u32) -> u32 {
  return points[params.rows + run / 4u][run % 4u];
}
