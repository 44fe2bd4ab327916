// This snippet makes results of what packets find: values as they are, the k first by (value, row).
// Globals: params; threshold (query_packets); worstRow (best.ts); mayHold.

fn marginOfQuery(query: u32) -> f32 {
  return 0.0;
}

fn isNear(node: u32, low: f32) -> bool {
  return mayHold(node, low, threshold, worstRow());
}

fn isComplete() -> bool {
  return true;
}

fn listedOfBest() -> u32 {
  return params.k;
}
