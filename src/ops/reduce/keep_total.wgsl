// reduce, when the total of an item is that of a part.
// Globals: scratch.

fn keep(item: u32, total: Total) {
  scratch[item] = total;
}
