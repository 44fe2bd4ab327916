/**
 * These are the measures that scikit-learn's users know beyond sums of powers and angles, under its names and
 * with its conventions: hamming, canberra, braycurtis, jaccard, dice, haversine, precomputed. The functions
 * compare rows without gaps; see rank.ts.
 */
import { asin, cos, sin } from "../../../core/float/trigonometry.ts";
import type { Fitted, Metric } from "../contract.ts";
import type { MetricOptions } from "../metricOptions.ts";
import type { RareTextbookName } from "../names.ts";
import { overCommon, sumOverCommon, unlessEmpty, type Rank } from "../rank.ts";
import { differs, plain } from "../textbookMetric.ts";

export function rareTextbookMetric(
  name: RareTextbookName,
  { columnWeights: weights }: MetricOptions,
  { gaps = false }: Fitted,
): Metric {
  if (name === "hamming")
    return { ...plain, name, rank: shareOf(sumOverCommon(differs, { weights }), weights) };
  const rank = ranks[name];
  return { ...plain, name, rank: gaps && name !== "precomputed" ? overCommon(unlessEmpty(rank)) : rank };
}

const ranks: Record<Exclude<RareTextbookName, "hamming">, Rank> = {
  canberra,
  braycurtis: brayCurtis,
  jaccard,
  dice,
  haversine,
  precomputed: (x, q) => q[x[0]],
};

/** Returns the share of the weight of all columns, missing ones included. */
function shareOf(count: Rank, weights: ArrayLike<number> | undefined): Rank {
  let total = 0;
  if (weights) for (let j = 0; j < weights.length; j++) total += weights[j];
  return (x, q) => count(x, q) / (weights ? total : x.length);
}

/** Returns sum |x - q| / (|x| + |q|), where 0/0 counts 0. */
export function canberra(x: Float64Array, q: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < x.length; j++) {
    const size = Math.abs(x[j]) + Math.abs(q[j]);
    if (size > 0) sum += Math.abs(x[j] - q[j]) / size;
  }
  return sum;
}

/**
 * Returns sum |x - q| / sum (|x| + |q|), and 0 for two zero rows. SciPy divides by |x + q|, the same for
 * values of one sign.
 */
export function brayCurtis(x: Float64Array, q: Float64Array): number {
  let difference = 0;
  let size = 0;
  for (let j = 0; j < x.length; j++) {
    difference += Math.abs(x[j] - q[j]);
    size += Math.abs(x[j]) + Math.abs(q[j]);
  }
  return size > 0 ? difference / size : 0;
}

/** Returns the share of the attributes that one row or both have that only one has; 0 for two zero rows. */
export function jaccard(x: Float64Array, q: Float64Array): number {
  const { both, one } = countTrue(x, q);
  return both + one === 0 ? 0 : one / (both + one);
}

/** Returns jaccard with attributes that are 0 in neither row counted twice; NaN for two zero rows. */
export function dice(x: Float64Array, q: Float64Array): number {
  const { both, one } = countTrue(x, q);
  return one / (2 * both + one);
}

/** Counts attributes that are true, as every number but 0 is. */
function countTrue(x: Float64Array, q: Float64Array): { both: number; one: number } {
  let both = 0;
  let one = 0;
  for (let j = 0; j < x.length; j++) {
    if (x[j] !== 0 && q[j] !== 0) both++;
    else if (x[j] !== 0 || q[j] !== 0) one++;
  }
  return { both, one };
}

/**
 * Returns the angle between two points (latitude, longitude), all in radians; NaN unless both have two
 * coordinates.
 */
export function haversine(x: Float64Array, q: Float64Array): number {
  if (x.length !== 2) return NaN;
  const latitude = sin(0.5 * (x[0] - q[0]));
  const longitude = sin(0.5 * (x[1] - q[1]));
  const square = latitude * latitude + cos(x[0]) * cos(q[0]) * longitude * longitude;
  return 2 * asin(Math.min(Math.sqrt(square), 1));
}
