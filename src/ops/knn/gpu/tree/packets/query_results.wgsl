// This snippet makes results of what packets find: values as they are, the k first by (value, row).
// Globals: params; threshold (query_packets); worstRow (best.ts); boxLow (query_gap); mayHold; orOfPacket.

fn marginOfQuery(query: u32) -> f32 {
  return 0.0;
}

// Tells whether any query of the packet wants a node, by rows too: limits are values alone, and coinciding
// points are all within them.
fn isNeeded(node: u32) -> bool {
  return orOfPacket(u32(mayHold(node, boxLow(node), threshold, worstRow()))) != 0u;
}

fn isComplete() -> bool {
  return true;
}

fn listedOfBest() -> u32 {
  return params.k;
}
