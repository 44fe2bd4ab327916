// The second pass of knn.filter, where values are stored, lets one workgroup merge one query's row of values
// into its running candidate list. distance_tile made the values, knn_list does the merging.
//
// Usually few columns of the tile pass the old threshold: they are appended to the list, and the new
// threshold is selected among the list alone. Otherwise it is selected among list and tile together.
//
// Globals: FOUND, THREADS; params; queryMeta, refMeta, scratch, heads, candidates, intervals;
// intervalOf, keyOf (distance_interval); Entry, agreed, entryLimit, merge, store (knn_list, knn_kth).

// This is the meta of the workgroup's query.
var<private> own: vec4f;

var<workgroup> hits: atomic<u32>;
var<workgroup> found: array<u32, FOUND>;

@each_workgroup(params.queryRows)
fn main(query: u32, lane: u32) {
  own = queryMeta[query];
  if (lane == 0u) {
    agreed = heads[query];
  }
  let head = workgroupUniformLoad(&agreed);
  let listed = head.x;
  if (listed > params.capacity) {
    return;
  }

  collect(query, lane, entryLimit(head));
  workgroupBarrier();
  if (lane == 0u) {
    agreed = vec2u(atomicLoad(&hits), 0u);
  }
  let passed = workgroupUniformLoad(&agreed).x;
  if (passed == 0u) {
    return;
  }
  if (passed <= FOUND && listed + passed <= params.capacity) {
    appendFound(query, lane, listed, passed);
    storageBarrier();
    merge(query, lane, listed + passed, 0u);
  } else {
    merge(query, lane, listed, params.refRows);
  }
}

// Counts the columns that pass in `hits` and puts the first FOUND of them into `found`, in any order.
fn collect(query: u32, lane: u32, limit: u32) {
  for (var at = lane; at < params.pitch; at += THREADS) {
    let four = scratch[query * params.pitch + at];
    for (var i = 0u; i < 4u; i++) {
      let column = at * 4u + i;
      if (column < params.refRows && keyOf(intervalIn(four[i], column).x) <= limit) {
        let slot = atomicAdd(&hits, 1u);
        if (slot < FOUND) {
          found[slot] = column;
        }
      }
    }
  }
}

fn appendFound(query: u32, lane: u32, listed: u32, passed: u32) {
  for (var at = lane; at < passed; at += THREADS) {
    store(query, listed + at, newEntry(query, found[at]));
  }
}

// Returns a new entry; every column of the tile counts as one.
fn newEntry(query: u32, column: u32) -> Entry {
  let value = scratch[query * params.pitch + column / 4u][column % 4u];
  return Entry(params.firstRow + column, intervalIn(value, column));
}

fn intervalIn(value: f32, column: u32) -> vec2f {
  return intervalOf(value, own, refMeta[params.refBegin + column]);
}
