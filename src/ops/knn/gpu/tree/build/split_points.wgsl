// This snippet lets kd_order put the points of a tree in order, a run of leaves at a time. Its parts are
// leaves. Globals: PART; params (runLevels); points; runBegin (leaf_begin).

var<private> firstLeaf: u32;
var<private> firstPoint: u32;
var<private> pointCount: u32;

fn beginRun(run: u32) {
  firstLeaf = run << params.runLevels;
  firstPoint = runBegin(run);
  pointCount = runBegin(run + 1u) - firstPoint;
}

fn beginOf(slot: u32) -> u32 {
  let leaf = min(slot / PART - firstLeaf, 1u << params.runLevels);
  return firstPoint + ((leaf * pointCount) >> params.runLevels);
}

fn itemAt(at: u32) -> vec4u {
  return points[at];
}

fn putItem(at: u32, item: vec4u) {
  points[at] = item;
}
