// This snippet lets kd_order put the points of a tree in order. Its parts are leaves. Globals: PART; params
// (levels); points; leafBegin.

fn beginOf(slot: u32) -> u32 {
  return leafBegin(min(slot / PART, 1u << params.levels));
}

fn itemAt(at: u32) -> vec4u {
  return points[at];
}

fn putItem(at: u32, item: vec4u) {
  points[at] = item;
}
