// This snippet of distances_count counts values as they are. Globals: ROOT; OPEN, guard, slotsWithin, slotOf
// (slots); add.

fn beginQuery(query: u32) {}

fn sureSlots(four: vec4f, at: u32) -> vec4u {
  var distances = four;
  if (ROOT) {
    distances = sqrt(max(four, vec4f()));
  }
  return slotsWithin(distances, vec4f(guard));
}

fn addSlowly(value: f32, query: u32, at: u32) {
  add(slotOf(value), 1u);
}
