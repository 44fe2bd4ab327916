// This pass runs before the pairs of a window are compared: one workgroup finds the limit of one query. The
// limit is the threshold of its list, or, where references come in no particular order, the params.rank-th
// smallest high end of its list, which the k-th of all references to the end of the window should not exceed.
// knn_merge checks whether it did. One more word counts the queries for which there was no room; it becomes
// zero.
//
// Globals: THREADS; params; heads, intervals, scratch; begin (knn_limit); keyOf (distance_interval),
// bitsOfKey; agreed, selectKth (knn_kth).

@each_workgroup(params.queryRows)
fn main(query: u32, lane: u32) {
  if (lane == 0u) {
    agreed = heads[query];
  }
  var head = workgroupUniformLoad(&agreed);
  if (params.rank < params.k && head.x >= params.k && head.x <= params.capacity) {
    head.y = bitsOfKey(selectKth(query, lane, head.x, head.x, params.rank).key);
  }
  if (lane == 0u) {
    begin(query, head);
    if (query == 0u) {
      scratch[params.queryRows] = 0u;
    }
  }
}

fn highKey(query: u32, at: u32, listed: u32) -> u32 {
  return keyOf(intervals[query * params.capacity + at].y);
}
