// This snippet makes lists of what packets find, which may hold one entry more than k.
// Globals: params; queryMeta, boxes; own, threshold, near (query_packets); lastOfBest, ROUNDED
// (best.ts or keys.ts).

fn marginOfQuery(query: u32) -> f32 {
  return queryMeta[query].z;
}

fn isLeftOut(query: u32, row: u32) -> bool {
  return false;
}

// The limits of queries tell as much as their thresholds.
fn isNeeded(node: u32) -> bool {
  return true;
}

fn isComplete() -> bool {
  return isBeyond(near);
}

fn listedOfBest() -> u32 {
  return params.k + u32(!isBeyond(lastOfBest()));
}

// Tells whether all rows whose high end is no lower have low ends above the threshold, whatever was rounded.
fn isBeyond(high: f32) -> bool {
  // Numbers below the last term are rounded by more than a share of themselves.
  let half = fma(params.slack + ROUNDED + 0x1p-20, high, own.w + boxes[2].w + 0x1p-126);
  return high - 2.25 * half > threshold;
}
