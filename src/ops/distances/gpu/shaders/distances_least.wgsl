// The second pass of distances.least lets one workgroup look at a part of one query's blocks of tiles. It
// evaluates in float64 the pairs that may be the nearest or the farthest: their low end is not above the
// least high end of all, or their high end is not below the largest low end. The extremes of a block say
// whether it may hold any. The ranks widen `found`, which has five words for each part: the complement of the
// least rank, the largest rank, and how many pairs were evaluated.
//
// Globals: THREADS, SELF, TILE_REFS; params; values, queryMeta, refMeta, widest, extremes, found; halvesOf,
// intervalOf, keyOf (distance_interval); bitsOfKey; rankOfPair; isBelow64.

var<workgroup> least: array<vec2u, THREADS>;
var<workgroup> most: array<vec2u, THREADS>;
var<workgroup> evaluated: atomic<u32>;
// These are keys: the complement of the least high end, and the largest low end.
var<workgroup> nearest: atomic<u32>;
var<workgroup> farthest: atomic<u32>;

@each_workgroup(params.groups)
fn main(number: u32, lane: u32) {
  let query = number / params.parts;
  let mine = queryMeta[query];
  let own = select(0xffffffffu, params.ownRow + query - params.refBegin, SELF);
  for (var block = lane; block < params.blocks; block += THREADS) {
    let ends = endsOf(query, block);
    if (ends.isAny) {
      atomicMax(&nearest, ~keyOf(ends.low + ends.half));
      atomicMax(&farthest, keyOf(ends.high - ends.half));
    }
  }
  workgroupBarrier();
  let nearEnough = ~atomicLoad(&nearest);
  let farEnough = atomicLoad(&farthest);
  var low = vec2u();
  var high = vec2u();
  for (var block = number % params.parts; block < params.blocks; block += params.parts) {
    let ends = endsOf(query, block);
    let mayHold = keyOf(ends.low - ends.half) <= nearEnough || keyOf(ends.high + ends.half) >= farEnough;
    if (!ends.isAny || !mayHold) {
      continue;
    }
    for (var i = lane; placeOf(i, block) < params.refRows; i += THREADS) {
      let at = placeOf(i, block);
      let value = values[query * params.pitch + params.column + at];
      let pair = intervalOf(value, mine, refMeta[params.refBegin + at]);
      if (at != own && (keyOf(pair.x) <= nearEnough || keyOf(pair.y) >= farEnough)) {
        let rank = rankOfPair(query, params.refBegin + at);
        low = larger64(low, ~rank);
        high = larger64(high, rank);
        atomicAdd(&evaluated, 1u);
      }
    }
  }
  least[lane] = low;
  most[lane] = high;
  for (var half = THREADS / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane < half) {
      least[lane] = larger64(least[lane], least[lane + half]);
      most[lane] = larger64(most[lane], most[lane + half]);
    }
  }
  if (lane == 0u) {
    let place = 5u * number;
    let before = vec4u(found[place], found[place + 1u], found[place + 2u], found[place + 3u]);
    let first = larger64(before.xy, least[0]);
    let last = larger64(before.zw, most[0]);
    found[place] = first.x;
    found[place + 1u] = first.y;
    found[place + 2u] = last.x;
    found[place + 3u] = last.y;
    found[place + 4u] += atomicLoad(&evaluated);
  }
}

// Returns the place of reference number i of a block.
fn placeOf(i: u32, block: u32) -> u32 {
  return (i / TILE_REFS * params.blocks + block) * TILE_REFS + i % TILE_REFS;
}

// A block has its least and its largest value, and the most that half an interval is wide.
struct Ends {
  low: f32,
  high: f32,
  half: f32,
  isAny: bool,
}

fn endsOf(query: u32, block: u32) -> Ends {
  let at = 2u * (query * params.blocks + block);
  let words = vec2u(extremes[at], extremes[at + 1u]);
  let low = bitcast<f32>(bitsOfKey(~words.x));
  let high = bitcast<f32>(bitsOfKey(words.y));
  let own = widest[block];
  let half = halvesOf(vec4f(max(abs(low), abs(high))), queryMeta[query], vec4f(own.x), vec4f(own.y)).x;
  return Ends(low, high, half, words.x != 0u);
}

fn larger64(a: vec2u, b: vec2u) -> vec2u {
  if (isBelow64(a, b)) {
    return b;
  }
  return a;
}
