// This snippet stands where queries have no lists.
// Globals: none.

fn putCount(query: u32, count: u32, bound: f32) {}
