// What knn_distance does with a tile of sums where all values are selected from: it writes them to `values`, [query][params.pitch] from
// params.firstColumn on, NaN past the last row up to a multiple of four. With NORMS the squared lengths of the rows come from what the lanes load anyway.
//
// Globals: NORMS, THREADS, TILE_QUERIES, ROW_VECTORS, BLOCKS, LOADS, PER_QUERY, REF_BLOCKS; params; values; Sums; slab; finish;
// queryOf, refOf.

const DELIVERY: u32 = BLOCKS;
const NAN: u32 = 0x7fc00000u;

// Of the four rows of each block that the lane loads, over the columns it loaded.
var<private> squares: array<vec4f, LOADS>;

fn isWanted(lane: u32, firstQuery: u32) -> bool {
  return true;
}

fn meet(lane: u32, firstRef: u32) {
  squares = array<vec4f, LOADS>();
}

fn look(turn: u32, rows: mat4x4f) {
  if (NORMS) {
    squares[turn] += vec4f(dot(rows[0], rows[0]), dot(rows[1], rows[1]), dot(rows[2], rows[2]), dot(rows[3], rows[3]));
  }
}

fn deliver(sums: ptr<function, Sums>, lane: u32, firstQuery: u32, firstRef: u32) {
  if (NORMS) {
    for (var turn = 0u; turn < LOADS; turn++) {
      if (turn * THREADS + lane < BLOCKS) {
        slab[turn * THREADS + lane] = squares[turn];
      }
    }
    workgroupBarrier();
  }
  for (var b = 0u; b < REF_BLOCKS; b++) {
    let reference = firstRef + refOf(b);
    let bases = squaresOf(TILE_QUERIES + refOf(b));
    for (var i = 0u; i < PER_QUERY; i++) {
      let query = firstQuery + queryOf(i);
      if (query < params.queryRows && reference < params.refRows) {
        var four = finish((*sums)[i * REF_BLOCKS + b], squaresOf(queryOf(i))[queryOf(i) % 4u], bases);
        if (NORMS) {
          four = select(four, vec4f(), four < vec4f()); // NaN stays.
        }
        let there = vec4u(reference) + vec4u(0u, 1u, 2u, 3u) < vec4u(params.refRows);
        let at = (query * params.pitch + params.firstColumn + reference) / 4u;
        values[at] = select(vec4u(NAN), bitcast<vec4u>(four), there);
      }
    }
  }
  workgroupBarrier();
}

// Of the four rows of the tile, queries first, of which `row` is one.
fn squaresOf(row: u32) -> vec4f {
  if (!NORMS) {
    return vec4f();
  }
  let at = row / 4u * ROW_VECTORS;
  return slab[at] + slab[at + 1u] + slab[at + 2u] + slab[at + 3u];
}
