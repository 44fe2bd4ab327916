// distances.least: one workgroup looks at a part of one query's pairs and evaluates in float64 those that may
// be the nearest or the farthest: their low end is not above the least high end of all, or their high end is
// not below the largest low end. What it finds widens what is in `found`, five words for each part: the
// complement of the least rank, the largest rank, and how many pairs were evaluated.
//
// Globals: THREADS, SELF; params; values, queryMeta, refMeta, extremes, found; intervalOf, keyOf
// (distance_interval); rankOfPair; isBelow64.

var<workgroup> least: array<vec2u, THREADS>;
var<workgroup> most: array<vec2u, THREADS>;
var<workgroup> evaluated: atomic<u32>;

@each_workgroup(params.groups)
fn main(number: u32, lane: u32) {
  let query = number / params.parts;
  let part = number % params.parts;
  let mine = queryMeta[query];
  let own = select(0xffffffffu, params.ownRow + query - params.refBegin, SELF);
  let nearEnough = ~extremes[2u * query];
  let farEnough = extremes[2u * query + 1u];
  var low = vec2u();
  var high = vec2u();
  for (var at = part * THREADS + lane; at < params.refRows; at += params.parts * THREADS) {
    let value = values[query * params.pitch + params.column + at];
    let ends = intervalOf(value, mine, refMeta[params.refBegin + at]);
    if (at != own && (keyOf(ends.x) <= nearEnough || keyOf(ends.y) >= farEnough)) {
      let rank = rankOfPair(query, params.refBegin + at);
      low = larger64(low, ~rank);
      high = larger64(high, rank);
      atomicAdd(&evaluated, 1u);
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

fn larger64(a: vec2u, b: vec2u) -> vec2u {
  if (isBelow64(a, b)) {
    return b;
  }
  return a;
}
