// The first pass of knn.tree takes the rows, all of which lie in one cell, with their numbers.
//
// Globals: THREADS; params; refs, items, cells, counts, starts, extents.

@each_lane(params.rows)
fn main(row: u32) {
  items[row] = vec4u(refs[row].xyz, row);
  cells[row] = 0u;
  if (row == 0u) {
    counts[0] = params.rows;
    starts[0] = 0u;
    extents[params.flag] = 0u;
  }
}
