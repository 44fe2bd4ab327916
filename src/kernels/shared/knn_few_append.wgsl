// knn_append for the sums of knn_few.
// Globals: params; refMeta; intervalOf, valueOf (knn_interval); limited, append.

fn deliver(query: u32, reference: u32, sum: f32) {
  let own = limited(query);
  let other = refMeta[params.refBegin + reference];
  let interval = intervalOf(valueOf(sum, own, other), own, other);
  if (!(interval.x > own.w)) {
    append(query, reference, interval);
  }
}
