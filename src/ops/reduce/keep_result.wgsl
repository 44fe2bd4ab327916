// reduce with this snippet keeps the total of an item as the result of a row.
// Globals: output, resultOf (total_*).

fn keep(item: u32, total: Total) {
  output[item] = resultOf(total);
}
