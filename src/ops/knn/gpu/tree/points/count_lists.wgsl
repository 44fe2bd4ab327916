// This snippet notes how long the list of a query is, and a value that k high ends are known not to exceed.
// Globals: heads.

fn putCount(query: u32, count: u32, bound: f32) {
  heads[query] = vec2u(count, bitcast<u32>(bound));
}
