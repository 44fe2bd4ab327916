// This epilogue makes values of a tile of sums where the tile is all that few queries have. Another snippet,
// keep_vectors or keep_least_fours, keeps the values, NaN past the last row up to a multiple of four. With
// NORMS the squared lengths of the rows come from what the lanes load anyway.
//
// Globals: NORMS, THREADS, TILE_QUERIES, TILE_REFS, FIRST_QUERY_ROW, FIRST_REF_ROW, ROW_VECTORS, BLOCKS,
// LOADS, PER_QUERY, QUERY_BLOCKS, REF_BLOCKS; params; Sums; slab; finish; squareOf; queryOf, refOf; keepFour,
// finishKeeping.

const ROW_FOURS: u32 = (TILE_QUERIES + TILE_REFS) / 4u;
const EPILOGUE_SLAB: u32 = BLOCKS + ROW_FOURS;
const NAN: u32 = 0x7fc00000u;

// These are the squares of the four rows of each block that the lane loads, over the columns it loaded.
var<private> squares: array<vec4f, LOADS>;

fn epilogueWants(lane: u32, firstQuery: u32) -> bool {
  return true;
}

fn epilogueBegins(lane: u32, firstRef: u32) {
  squares = array<vec4f, LOADS>();
}

fn epilogueSees(turn: u32, rows: mat4x4f) {
  if (NORMS) {
    squares[turn] += vec4f(squareOf(rows[0]), squareOf(rows[1]), squareOf(rows[2]), squareOf(rows[3]));
  }
}

fn epilogue(sums: ptr<function, Sums>, lane: u32, firstQuery: u32, firstRef: u32) {
  addSquares(lane);
  // The bases are read before anything is kept, lest they are read again for each value.
  var own: array<vec4f, QUERY_BLOCKS>;
  for (var i = 0u; i < QUERY_BLOCKS; i++) {
    own[i] = basesOf(FIRST_QUERY_ROW + queryOf(4u * i));
  }
  for (var b = 0u; b < REF_BLOCKS; b++) {
    let reference = firstRef + refOf(b);
    let there = vec4u(reference) + vec4u(0u, 1u, 2u, 3u) < vec4u(params.refRows);
    let bases = basesOf(FIRST_REF_ROW + refOf(b));
    for (var i = 0u; i < PER_QUERY; i++) {
      var four = finish((*sums)[i * REF_BLOCKS + b], own[i / 4u][i % 4u], bases);
      if (NORMS) {
        four = select(four, vec4f(), four < vec4f()); // NaN stays
      }
      keepFour(firstQuery + queryOf(i), reference, select(vec4u(NAN), bitcast<vec4u>(four), there));
    }
  }
  finishKeeping(lane, firstRef);
  workgroupBarrier();
}

// Adds up the squares. Lanes hold those of four rows and every fourth vector; the sums over all vectors are
// stored behind them.
fn addSquares(lane: u32) {
  if (NORMS) {
    for (var turn = 0u; turn < LOADS; turn++) {
      if (turn * THREADS + lane < BLOCKS) {
        slab[turn * THREADS + lane] = squares[turn];
      }
    }
    workgroupBarrier();
    for (var four = lane; four < ROW_FOURS; four += THREADS) {
      let at = four * ROW_VECTORS;
      slab[BLOCKS + four] = slab[at] + slab[at + 1u] + slab[at + 2u] + slab[at + 3u];
    }
    workgroupBarrier();
  }
}

// Returns the squared lengths of the four rows of the tile's blocks from `row` on.
fn basesOf(row: u32) -> vec4f {
  if (!NORMS) {
    return vec4f();
  }
  return slab[BLOCKS + row / 4u];
}
