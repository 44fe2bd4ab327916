// This kernel leaves, for one query of a workgroup, the k-th smallest of the least high ends of its spans, or
// groups, where k or lists are too large for knn_few_lists to find a limit by itself. It leaves the largest
// key where there are fewer.
//
// Globals: THREADS; params (ends: the first word of the ends, of which a query has `count`; limits); scratch;
// ALL, selectKth (knn_kth).

@each_workgroup(params.queryRows)
fn main(query: u32, lane: u32) {
  var limit = ALL;
  if (params.count >= params.k) {
    limit = selectKth(query, lane, 0u, params.count, params.k).key;
  }
  if (lane == 0u) {
    scratch[params.limits + query] = limit;
  }
}

fn highKey(query: u32, at: u32, listed: u32) -> u32 {
  return scratch[params.ends + 2u * (query * params.count + at) + 1u];
}
