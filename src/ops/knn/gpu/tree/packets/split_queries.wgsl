// This snippet lets kd_order put the numbers of queries in order. Its parts have as many queries as a packet.
// Globals: WORDS; params (queryRows); queries, scratch.

fn beginRun(run: u32) {
}

fn beginOf(slot: u32) -> u32 {
  return min(slot, params.queryRows);
}

fn itemAt(at: u32) -> vec4u {
  let query = scratch[WORDS + at];
  return vec4u(bitcast<vec3u>(queries[query].xyz), query);
}

fn putItem(at: u32, item: vec4u) {
  scratch[WORDS + at] = item.w;
}
