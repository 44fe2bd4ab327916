// This snippet notes how long the list of a query is.
// Globals: heads.

fn putCount(query: u32, count: u32) {
  heads[query] = vec2u(count, 0u);
}
