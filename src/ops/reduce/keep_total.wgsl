// reduce with this snippet keeps the total of an item as that of a part.
// Globals: scratch.

fn keep(item: u32, total: Total) {
  scratch[item] = total;
}
