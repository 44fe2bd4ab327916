// The second pass of knn.filter, where pairs were appended, lets one workgroup merge those of one query into
// its running candidate list. Where more passed than there was room for, or a predicted limit was too low,
// nothing is merged and the count is left above the room, for the passes that recompute it. The number of
// such queries is added to word params.queryRows.
//
// A limit was high enough if the new threshold does not exceed it: every pair that was not appended has a low
// end above the limit.
//
// There is as much room as a keep-all list holds: where it does not suffice, the list has overflowed.
//
// Globals: KEEP_ALL, THREADS; params; heads, candidates, intervals, scratch; keyOf (distance_interval); ALL,
// Entry, agreed, cutoffOf, keep (knn_list, knn_kth).

@each_workgroup(params.queryRows)
fn main(query: u32, lane: u32) {
  if (lane == 0u) {
    agreed = vec2u(heads[query].x, atomicLoad(&scratch[query]));
  }
  let found = workgroupUniformLoad(&agreed);
  if (found.x > params.capacity) {
    return;
  }
  if (found.y > params.room) {
    if (lane == 0u && KEEP_ALL) {
      heads[query].x = found.x + found.y;
    } else if (lane == 0u) {
      leaveToRecompute(query);
    }
    return;
  }
  let predicted = params.rank < params.k && found.x >= params.k;
  if (found.y == 0u && !predicted) {
    return;
  }
  let cutoff = cutoffOf(query, lane, found.x, found.y);
  if (lane == 0u) {
    agreed.x = select(ALL, limitKey(query), predicted);
  }
  if (cutoff.key > workgroupUniformLoad(&agreed).x) {
    if (lane == 0u) {
      leaveToRecompute(query);
    }
    return;
  }
  keep(query, lane, found.x, found.y, cutoff);
  if (lane == 0u) {
    atomicStore(&scratch[query], 0u);
  }
}

fn leaveToRecompute(query: u32) {
  atomicStore(&scratch[query], params.room + 1u);
  atomicAdd(&scratch[params.queryRows], 1u);
}

fn limitKey(query: u32) -> u32 {
  return keyOf(bitcast<f32>(atomicLoad(&scratch[params.limits + query * 4u + 3u])));
}

fn newEntry(query: u32, slot: u32) -> Entry {
  let at = params.begin + (query * params.room + slot) * 3u;
  let interval = vec2u(atomicLoad(&scratch[at + 1u]), atomicLoad(&scratch[at + 2u]));
  return Entry(atomicLoad(&scratch[at]), bitcast<vec2f>(interval));
}
