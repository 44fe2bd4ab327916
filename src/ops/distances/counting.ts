/**
 * This says which bin a distance is in, by the rule of `histogram`: edges decide, and the floor formula is
 * only a first guess. This is pure, and loaded by workers.
 */

/**
 * Bins are equal ones between two numbers of each query, NaN where it has no finite distance; or all queries
 * have the same edges, ascending and all different.
 */
export type Bins =
  | { readonly bins: number; readonly min: Float64Array; readonly max: Float64Array }
  | { readonly edges: Float64Array };

export function binCount(bins: Bins): number {
  return "edges" in bins ? bins.edges.length - 1 : bins.bins;
}

/** A query has equal bins or edges. */
export type QueryBins =
  { readonly bins: number; readonly min: number; readonly max: number } | { readonly edges: Float64Array };

export function binsOfQuery(bins: Bins, query: number): QueryBins {
  return "edges" in bins ? bins : { bins: bins.bins, min: bins.min[query], max: bins.max[query] };
}

/** A query's numbers stand at these places of `outside`. */
const [BELOW, ABOVE, NAN] = [0, 1, 2];

/**
 * Adds some distances of a query to its counts.
 * @param counts of that query, [bins]
 * @param outside of that query: below, above, NaN
 */
export function countDistances(
  distances: Float64Array,
  bins: QueryBins,
  counts: Uint32Array,
  outside: Uint32Array,
): void {
  if ("edges" in bins) return countByEdges(distances, bins.edges, counts, outside);
  const { min, max } = bins;
  const width = max - min;
  const last = bins.bins - 1;
  for (let at = 0; at < distances.length; at++) {
    const distance = distances[at];
    if (!(distance >= min && distance <= max)) outside[sideOf(distance, min)]++;
    else counts[width > 0 ? evenBin(distance, min, width, last) : 0]++;
  }
}

/**
 * Returns the bin of a distance between min and min + width: the last i whose edge min + i * width / bins is
 * at most the distance.
 */
export function evenBin(distance: number, min: number, width: number, last: number): number {
  const bins = last + 1;
  const guess = Math.min(last, Math.floor(((distance - min) / width) * bins));
  let low = 0;
  let above = bins;
  if (min + (guess * width) / bins <= distance) {
    if (guess === last || min + ((guess + 1) * width) / bins > distance) return guess;
    low = guess + 1;
  } else {
    if (min + ((guess - 1) * width) / bins <= distance) return guess - 1;
    above = guess - 1;
  }
  // This is rare: many edges are equal where there are more bins than numbers.
  while (above - low > 1) {
    const middle = (low + above) >>> 1;
    if (min + (middle * width) / bins <= distance) low = middle;
    else above = middle;
  }
  return low;
}

function countByEdges(
  distances: Float64Array,
  edges: Float64Array,
  counts: Uint32Array,
  outside: Uint32Array,
): void {
  const last = edges.length - 2;
  const [min, max] = [edges[0], edges[last + 1]];
  for (let at = 0; at < distances.length; at++) {
    const distance = distances[at];
    const isInside = distance >= min && distance <= max && Number.isFinite(distance);
    if (isInside) counts[lastEdge(edges, distance, last)]++;
    else outside[sideOf(distance, min)]++;
  }
}

/** Returns the last i up to `last` with edges[i] <= distance. */
function lastEdge(edges: Float64Array, distance: number, last: number): number {
  let [low, above] = [0, last + 1];
  while (above - low > 1) {
    const middle = (low + above) >>> 1;
    if (edges[middle] <= distance) low = middle;
    else above = middle;
  }
  return low;
}

/** Says where a distance is that is in no bin. An infinite one is in none, whatever the edges are. */
function sideOf(distance: number, min: number): number {
  if (Number.isNaN(distance)) return NAN;
  return distance === -Infinity || distance < min ? BELOW : ABOVE;
}
