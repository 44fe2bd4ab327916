// This snippet makes the interval of a pair of float32 rows from the sum of knn_few.
// Globals: params (refBegin); queryMeta, refMeta; valueOf (pair_value), intervalOf (distance_interval).

fn pairInterval(query: u32, reference: u32, sum: f32) -> vec2f {
  let own = queryMeta[query];
  let other = refMeta[params.refBegin + reference];
  return intervalOf(valueOf(sum, own, other), own, other);
}
