// This snippet makes the intervals of a query and a point or a box, and counts what was done. The gap between
// a query and a box is the difference between the query and a point of the box, which float32 holds as it is.
// So its interval is certain to reach no lower than that of any row in the box. Globals: CORE, COUNTERS;
// params (slack); boxes, scratch.

const LARGEST: f32 = 0x1.fffffep+127;
const L2: u32 = 0u;
const L1: u32 = 1u;

// This is the query and its margin.
var<private> own: vec4f;

fn valueOf(difference: vec3f) -> f32 {
  if (CORE == L2) {
    return fma(difference.z, difference.z, fma(difference.y, difference.y, difference.x * difference.x));
  }
  let sides = abs(difference);
  if (CORE == L1) {
    return sides.x + sides.y + sides.z;
  }
  return max(sides.x, max(sides.y, sides.z));
}

fn halfOf(value: f32, margin: f32) -> f32 {
  return fma(params.slack, value, own.w + margin);
}

fn gapValue(position: vec3f, least: vec3f, largest: vec3f) -> f32 {
  return valueOf(max(max(least - position, position - largest), vec3f()));
}

fn boxLow(node: u32) -> f32 {
  let least = boxes[2u * node];
  let value = gapValue(own.xyz, least.xyz, boxes[2u * node + 1u].xyz);
  return value - halfOf(value, least.w);
}

// Adds to the totals of a search (treeCounters in contract/tree.ts).
fn countVisited(points: u32) {
  let before = atomicAdd(&scratch[COUNTERS + 2u], points);
  if (before + points < before) {
    atomicAdd(&scratch[COUNTERS + 3u], 1u);
  }
}

// Returns roughly how many points the queries have visited that are done.
fn visitedSoFar() -> f32 {
  return f32(atomicLoad(&scratch[COUNTERS + 2u])) + 0x1p32 * f32(atomicLoad(&scratch[COUNTERS + 3u]));
}

fn countListed(entries: u32) {
  atomicAdd(&scratch[COUNTERS + 1u], entries);
}

fn countUnlisted() {
  atomicAdd(&scratch[COUNTERS], 1u);
}
