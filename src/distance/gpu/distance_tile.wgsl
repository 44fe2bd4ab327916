// This kernel makes the sum of every (query, reference) pair of a tile of the distance matrix, tiled through
// workgroup memory like a matrix product. What is done with the sums is not here: an epilogue does it.
//
// A workgroup makes TILE_QUERIES x TILE_REFS values, a lane PER_QUERY x PER_REF of them in blocks of 4 x 4,
// which lie 4 * LANES_QUERY queries or 4 * LANES_REF references apart. In workgroup memory a column of four
// rows is a vec4f, TILE_DEPTH columns at a time; columns past the end are zeros. Every sum runs over the
// columns in their order, whatever the tile, so that a pair has one value.
//
// Globals: TILE_QUERIES, TILE_REFS, TILE_DEPTH (16), WHOLE_SLABS (columns, filled up to fours, are a multiple
// of TILE_DEPTH), PER_QUERY, PER_REF (4 or 8), THREADS; params (groups: workgroups, as many for every tile of
// queries); queries, refs; accumulate of one metric; steps (of the slab that begins at a
// vector); EPILOGUE_SLAB, epilogueWants (also a chance to look at the queries), epilogueBegins (the
// references of a tile), epilogueSees (four rows of one of the lane's blocks, by a vector) and epilogue, in
// uniform control flow.

const LANES_REF: u32 = TILE_REFS / PER_REF;
const LANES_QUERY: u32 = TILE_QUERIES / PER_QUERY;
const_assert LANES_REF * LANES_QUERY == THREADS && TILE_DEPTH == 16u;
const_assert LANES_REF % 8u == 0u && LANES_QUERY % 4u == 0u;
const QUERY_BLOCKS: u32 = PER_QUERY / 4u;
const REF_BLOCKS: u32 = PER_REF / 4u;

// From one column to the next in the slab, and how much further four columns begin than that: what eight
// lanes next to each other store, of two blocks by four vectors, then falls into different banks.
const QUERY_PITCH: u32 = TILE_QUERIES / 4u;
const REF_PITCH: u32 = TILE_REFS / 4u;
const SHIFT: u32 = 2u;
const REF_SLAB: u32 = TILE_DEPTH * QUERY_PITCH + SHIFT * TILE_DEPTH / 4u;
const SLAB: u32 = max(REF_SLAB + TILE_DEPTH * REF_PITCH + SHIFT * TILE_DEPTH / 4u, EPILOGUE_SLAB);

// A row has ROW_VECTORS vectors in a slab. A slab has BLOCKS blocks of four rows by one vector, of which a
// lane loads LOADS.
const ROW_VECTORS: u32 = TILE_DEPTH / 4u;
const REF_ROW_BLOCKS: u32 = TILE_REFS / 4u * ROW_VECTORS;
const BLOCKS: u32 = REF_ROW_BLOCKS + TILE_QUERIES / 4u * ROW_VECTORS;
const LOADS: u32 = (BLOCKS + THREADS - 1u) / THREADS;

// Blocks of references come first where they fill turns of all lanes: compilers then know which turns load
// queries. FIRST_QUERY_ROW and FIRST_REF_ROW say where the first row of either is among those of the blocks.
const REFS_FIRST: bool = REF_ROW_BLOCKS % THREADS == 0u;
const FIRST_QUERY_ROW: u32 = select(0u, TILE_REFS, REFS_FIRST);
const FIRST_REF_ROW: u32 = select(TILE_QUERIES, 0u, REFS_FIRST);

// The sums of query i of the lane with block b of its references are [i * REF_BLOCKS + b].
alias Sums = array<vec4f, PER_QUERY * REF_BLOCKS>;

alias Loaded = array<vec4f, 4u * LOADS>;

// This holds columns of the tile, of the queries first; then what the epilogue likes.
var<workgroup> slab: array<vec4f, SLAB>;

var<private> laneQuery: u32;
var<private> laneRef: u32;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  // Thirty-two lanes next to each other make a block of 4 x 8, in an order in which what they read of the
  // slab comes in few transactions; the narrowest tile has one of its own.
  let block = lane / 32u;
  var alongRefs = (lane >> 1u) & 7u;
  var alongQueries = (lane & 1u) | ((lane >> 3u) & 2u);
  if (TILE_QUERIES == 16u) {
    alongRefs = (lane & 1u) | ((lane >> 1u) & 2u) | ((lane >> 2u) & 4u);
    alongQueries = ((lane >> 1u) & 1u) | ((lane >> 2u) & 2u);
  }
  laneRef = block % (LANES_REF / 8u) * 8u + alongRefs;
  laneQuery = block / (LANES_REF / 8u) * 4u + alongQueries;

  // Query tiles vary fastest: workgroups that run together share reference rows in the cache. A workgroup's
  // tiles are all of the same queries.
  let number = linearGroup(group, groups);
  let queryTiles = (params.queryRows + TILE_QUERIES - 1u) / TILE_QUERIES;
  let firstQuery = (number % queryTiles) * TILE_QUERIES;
  if (number >= params.groups || !epilogueWants(lane, firstQuery)) {
    return;
  }
  let stride = params.groups / queryTiles * TILE_REFS;
  var firstRef = number / queryTiles * TILE_REFS;
  var loaded = load(lane, firstQuery, firstRef, 0u);
  for (; firstRef < params.refRows; firstRef += stride) {
    epilogueBegins(lane, firstRef);
    makeTile(lane, firstQuery, firstRef, firstRef + stride, &loaded);
  }
}

// @param loaded holds the tile's first slab; afterwards that of the tile from reference `next` on
fn makeTile(lane: u32, firstQuery: u32, firstRef: u32, next: u32, loaded: ptr<function, Loaded>) {
  var sums: Sums;
  for (var depth = 0u; depth < params.depth; depth += ROW_VECTORS) {
    place(lane, loaded);
    workgroupBarrier();
    // On its way while this slab is used.
    let more = depth + ROW_VECTORS < params.depth;
    *loaded = load(lane, firstQuery, select(next, firstRef, more), select(0u, depth + ROW_VECTORS, more));
    steps(depth, &sums);
    workgroupBarrier();
  }
  epilogue(&sums, lane, firstQuery, firstRef);
}

// Adds what one column of the slab, of codes or numbers, makes of every pair of the lane.
fn step(column: u32, codes: bool, sums: ptr<function, Sums>) {
  let query = column * QUERY_PITCH + column / 4u * SHIFT + laneQuery;
  let reference = REF_SLAB + column * REF_PITCH + column / 4u * SHIFT + laneRef;
  stepBlock(0u, slab[query], slab[reference], codes, sums);
  if (REF_BLOCKS == 2u) {
    stepBlock(REF_BLOCKS - 1u, slab[query], slab[reference + (REF_BLOCKS - 1u) * LANES_REF], codes, sums);
  }
  if (QUERY_BLOCKS == 2u) {
    let more = slab[query + (QUERY_BLOCKS - 1u) * LANES_QUERY];
    stepBlock((QUERY_BLOCKS - 1u) * 4u * REF_BLOCKS, more, slab[reference], codes, sums);
    if (REF_BLOCKS == 2u) {
      stepBlock(
        (PER_QUERY - 4u) * REF_BLOCKS + REF_BLOCKS - 1u,
        more,
        slab[reference + (REF_BLOCKS - 1u) * LANES_REF],
        codes,
        sums,
      );
    }
  }
}

fn stepBlock(at: u32, q: vec4f, r: vec4f, codes: bool, sums: ptr<function, Sums>) {
  (*sums)[at] = accumulate((*sums)[at], q.xxxx, r, codes);
  (*sums)[at + REF_BLOCKS] = accumulate((*sums)[at + REF_BLOCKS], q.yyyy, r, codes);
  (*sums)[at + 2u * REF_BLOCKS] = accumulate((*sums)[at + 2u * REF_BLOCKS], q.zzzz, r, codes);
  (*sums)[at + 3u * REF_BLOCKS] = accumulate((*sums)[at + 3u * REF_BLOCKS], q.wwww, r, codes);
}

// The lane's blocks of the slab that begins at vector `depth`; of a row past the end, of the last instead.
fn load(lane: u32, firstQuery: u32, firstRef: u32, depth: u32) -> Loaded {
  var loaded: Loaded;
  for (var turn = 0u; turn < LOADS; turn++) {
    let at = turn * THREADS + lane;
    // Lanes that have no block load the last one, which others ask for as well.
    let row = min(at / ROW_VECTORS * 4u, TILE_QUERIES + TILE_REFS - 4u);
    let vector = depth + at % ROW_VECTORS;
    let column = select(min(vector, params.depth - 1u), vector, WHOLE_SLABS);
    for (var i = 0u; i < 4u; i++) {
      var four: vec4f;
      if (isOfQueries(turn, lane)) {
        four = queries[
          min(firstQuery + row - FIRST_QUERY_ROW + i, params.queryRows - 1u) * params.stride + column
        ];
      } else {
        let reference = min(firstRef + row - FIRST_REF_ROW + i, params.refRows - 1u);
        four = refs[(params.refBegin + reference) * params.stride + column];
      }
      loaded[4u * turn + i] = select(vec4f(), four, WHOLE_SLABS || vector < params.depth);
    }
  }
  return loaded;
}

fn isOfQueries(turn: u32, lane: u32) -> bool {
  if (REFS_FIRST) {
    return turn * THREADS >= REF_ROW_BLOCKS;
  }
  return turn * THREADS + lane < BLOCKS - REF_ROW_BLOCKS;
}

// A lane stores whole vectors: a store to one component may touch the others, which would be another lane's.
fn place(lane: u32, loaded: ptr<function, Loaded>) {
  for (var turn = 0u; turn < LOADS; turn++) {
    let at = turn * THREADS + lane;
    if (at < BLOCKS) {
      let rows = mat4x4f(
        (*loaded)[4u * turn],
        (*loaded)[4u * turn + 1u],
        (*loaded)[4u * turn + 2u],
        (*loaded)[4u * turn + 3u],
      );
      epilogueSees(turn, rows);
      let columns = transpose(rows);
      let four = at / ROW_VECTORS;
      let vector = at % ROW_VECTORS;
      let ofQueries = isOfQueries(turn, lane);
      let pitch = select(REF_PITCH, QUERY_PITCH, ofQueries);
      let begin = select(REF_SLAB + four - FIRST_REF_ROW / 4u, four - FIRST_QUERY_ROW / 4u, ofQueries) +
        vector * (4u * pitch + SHIFT);
      slab[begin] = columns[0];
      slab[begin + pitch] = columns[1];
      slab[begin + 2u * pitch] = columns[2];
      slab[begin + 3u * pitch] = columns[3];
    }
  }
}

// Returns query i of the lane in the tile; refOf returns the first reference of its block b, which the other
// three follow.
fn queryOf(i: u32) -> u32 {
  return (i / 4u * LANES_QUERY + laneQuery) * 4u + i % 4u;
}

fn refOf(b: u32) -> u32 {
  return (b * LANES_REF + laneRef) * 4u;
}
