// This snippet says which pairs their bytes rule out. A pair is ruled out where the reference's length in
// bytes, less what the reference may lack, less twice the product exceeds the bound of its query. These are
// whole numbers, whose sums are exact. The proof is in distance/bound/bytes.ts. A query's bound includes what
// quantizing usually takes of a reference, and the reference lacks only what it took beyond that. The queries
// of a tile share what references lack, so that a far query lets pairs of the others pass. Rows that are
// bytes lack nothing (EXACT): a pair at the limit is out, since its row comes after those that are listed.
//
// Globals: EXACT, TILE_QUERIES, TILE_REFS, THREADS; params (queryFacts, refFacts: the vectors of `quantized`
// at which they begin; window: the first reference's number there; scale, inverse; usual: what quantizing
// usually takes, in steps); quantized; limited (knn_append); sumOf (byte_key).

// Nothing passes the bound NONE, and everything one of ALL_BELOW: sums are below 2^30 in magnitude. Of EXACT
// rows a length less twice the product is from -2^29 to 3 * 2^29, both excluded, so that its difference to
// NONE, and to a bound, has 32 bits.
const NONE: i32 = select(-2147483647, -536870912, EXACT);
const ALL_BELOW: f32 = 1073741824.0;
const FAR: f32 = 32768.0;
// The limit of a list that has overflowed is below the negative of it.
const FARTHEST: f32 = 0x1p126;
const UP: f32 = 1.0 + 0x1p-16;

const_assert TILE_REFS <= THREADS;

var<workgroup> bounds: array<i32, TILE_QUERIES>;
// These are the references' lengths less what they may lack, of this tile and of the next.
var<workgroup> lengths: array<i32, 2u * TILE_REFS>;
// These are the largest bound of the tile's queries and the most that quantizing took of one, in steps, as
// bits.
var<workgroup> mostRoot: atomic<u32>;
var<workgroup> mostLoss: atomic<u32>;

fn takeBounds(lane: u32, firstQuery: u32) {
  for (var at = lane; at < TILE_QUERIES; at += THREADS) {
    var bound = NONE;
    let query = firstQuery + at;
    if (query < params.queryRows) {
      let limit = limited(query).w;
      let facts = quantized[params.queryFacts + query];
      let loss = bitcast<f32>(facts.y);
      let own = bitcast<f32>(facts.z);
      if (EXACT && limit > -FARTHEST) {
        bound = i32(sumOf(limit)) - 1 - i32(facts.x);
      } else if (limit > -FARTHEST) {
        // The bound is in steps; a limit that is far is not squared.
        let near = min(sqrt(max(limit, 0.0)), FAR * params.scale) * params.inverse;
        let root = sqrt(fma(near, near, own * own)) * UP;
        bound = wholeOf(square(root + loss + params.usual)) - i32(facts.x);
        if (root + loss < FAR) {
          atomicMax(&mostRoot, bitcast<u32>(root));
          atomicMax(&mostLoss, facts.y);
        }
      }
    }
    bounds[at] = bound;
  }
}

// Returns the facts of the lane's reference of a tile. The last reference stands for one past the end.
fn factsOf(lane: u32, firstRef: u32) -> vec4u {
  let reference = min(firstRef + min(lane, TILE_REFS - 1u), params.refRows - 1u);
  return quantized[params.refFacts + params.window + reference];
}

fn placeLength(lane: u32, parity: u32, facts: vec4u, root: f32, queryLoss: f32) {
  if (lane < TILE_REFS) {
    let loss = bitcast<f32>(facts.y);
    let own = bitcast<f32>(facts.z);
    let more = max(loss - params.usual, 0.0);
    let crossed = (root + queryLoss + params.usual) * more + own * (queryLoss + loss);
    let lack = square(own) + 2.0 * crossed + square(more);
    lengths[parity * TILE_REFS + lane] = i32(facts.x) - select(wholeOf(lack), 0, EXACT);
  }
}

fn square(x: f32) -> f32 {
  return x * x;
}

fn wholeOf(x: f32) -> i32 {
  return i32(min(fma(x, UP, 1.0), ALL_BELOW));
}
