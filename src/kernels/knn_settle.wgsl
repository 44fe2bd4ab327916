// Second pass of knn.filter where pairs were appended: one workgroup merges those of one query into its running candidate list.
// Where more passed than there was room for, nothing is merged and the count stays, for the passes that mend it; how many such
// queries there are is added to word params.queryRows.
//
// There is as much room as a list of a history holds: it has overflown then.
//
// Globals: HISTORY, THREADS; params; heads, candidates, intervals, scratch; linearGroup; Entry, agreed, settle (knn_list, knn_kth).

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let query = linearGroup(group, groups);
  if (query >= params.queryRows) {
    return;
  }
  if (lane == 0u) {
    agreed = vec2u(heads[query].x, atomicLoad(&scratch[query]));
    if (agreed.y > params.room && HISTORY) {
      heads[query].x = agreed.x + agreed.y;
    } else if (agreed.y > params.room) {
      atomicAdd(&scratch[params.queryRows], 1u);
    } else {
      atomicStore(&scratch[query], 0u);
    }
  }
  let found = workgroupUniformLoad(&agreed);
  if (found.x <= params.capacity && found.y > 0u && found.y <= params.room) {
    settle(query, lane, found.x, found.y);
  }
}

fn newEntry(query: u32, slot: u32) -> Entry {
  let at = params.begin + (query * params.room + slot) * 3u;
  let interval = vec2u(atomicLoad(&scratch[at + 1u]), atomicLoad(&scratch[at + 2u]));
  return Entry(atomicLoad(&scratch[at]), bitcast<vec2f>(interval));
}
