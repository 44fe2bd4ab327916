/**
 * These are the metrics under scikit-learn's names, with weights and gaps where they are asked for. Where
 * they are not, the plain loops run, which give the same bits.
 */
import { pow } from "../../core/float/fdlibm.ts";
import type { Fitted, Metric } from "./contract.ts";
import {
  absoluteDifferences,
  centreAndNormalise,
  cosineDistance,
  largestDifference,
  negativeDot,
  normaliseExponent,
  powerDifferences,
  squaredDifferences,
  squaredDifferencesOfRows,
} from "./differences.ts";
import type { MetricOptions } from "./metricOptions.ts";
import type { TextbookName } from "./names.ts";
import { mixedDifferences, overCommon, sumOverCommon, unlessEmpty } from "./rank.ts";
import type { Rank, Term } from "./rank.ts";
import { brayCurtis, canberra, dice, haversine, jaccard } from "./textbook.ts";

export const plain = {
  p: 2,
  signed: false,
  ordersByRank: false,
  ready: undefined,
  distance: (rank: number) => rank,
} as const;

export function textbookMetric(name: TextbookName, options: MetricOptions, fitted: Fitted): Metric {
  const { kinds, gaps = false } = fitted;
  const { columnWeights: weights } = options;
  const rescale = options.missing === "rescale" || name === "nan_euclidean";
  const sum = (term: Term, whole?: Rank): Rank =>
    whole && !gaps && !weights ? whole : sumOverCommon(term, { weights, rescale });
  const squares: Squares = (codes) => {
    if (!gaps && !weights && !codes) return { rank: squaredDifferences, rankRows: squaredDifferencesOfRows };
    if (!weights && !rescale) return { rank: mixedDifferences(codes) };
    return { rank: sumOverCommon(mixed(codes), { weights, rescale }) };
  };
  const common = (rank: Rank): Rank => (gaps ? overCommon(unlessEmpty(rank)) : rank);
  switch (name) {
    case "euclidean":
    case "nan_euclidean":
      return { ...plain, name, ...squares(), distance: Math.sqrt };
    case "sqeuclidean":
      return { ...plain, name, ...squares() };
    case "manhattan":
      return { ...plain, name, p: 1, rank: sum(absolute, absoluteDifferences) };
    case "chebyshev":
      return { ...plain, name, p: Infinity, rank: common(largestDifference) };
    case "minkowski":
      return minkowski(options.p ?? 2, sum, squares, common);
    case "cosine":
      return angular(name, normaliseExponent, gaps);
    case "correlation":
      return angular(name, centreAndNormalise, gaps);
    case "inner_product":
      return { ...plain, name, signed: true, rank: common(negativeDot) };
    case "mixed_euclidean":
      return { ...plain, name, ...squares(kinds), distance: Math.sqrt };
    case "hamming":
      return { ...plain, name, rank: shareOf(sum(differs), weights) };
    case "canberra":
      return { ...plain, name, rank: common(canberra) };
    case "braycurtis":
      return { ...plain, name, rank: common(brayCurtis) };
    case "jaccard":
      return { ...plain, name, rank: common(jaccard) };
    case "dice":
      return { ...plain, name, rank: common(dice) };
    case "haversine":
      return { ...plain, name, rank: common(haversine) };
    case "precomputed":
      return { ...plain, name, rank: (x, q) => q[x[0]] };
  }
}

const squared: Term = (x, q) => (x - q) * (x - q);
const absolute: Term = (x, q) => Math.abs(x - q);
const differs: Term = (x, q) => (x === q ? 0 : 1);

/**
 * Returns the term of squared differences of numbers; 1 for nominal values that differ, which one unseen in
 * training always does.
 */
function mixed(kinds: Fitted["kinds"]): Term {
  return (x, q, j) => (kinds === undefined || kinds[j] === "numeric" ? squared : differs)(x, q, j);
}

type Sum = (term: Term, whole?: Rank) => Rank;
type Squares = (codes?: Fitted["kinds"]) => Pick<Metric, "rank" | "rankRows">;

function minkowski(p: number, sum: Sum, squares: Squares, common: (rank: Rank) => Rank): Metric {
  const name = "minkowski";
  if (p === 1) return { ...plain, name, p, rank: sum(absolute, absoluteDifferences) };
  if (p === 2) return { ...plain, name, p, ...squares(), distance: Math.sqrt };
  if (p === Infinity) return { ...plain, name, p, rank: common(largestDifference) };
  return {
    ...plain,
    name,
    p,
    ordersByRank: true,
    rank: sum(
      (x, q) => pow(Math.abs(x - q), p),
      (x, q) => powerDifferences(x, q, p),
    ),
    distance: (rank) => pow(rank, 1 / p),
  };
}

/**
 * Makes the metric of an angle. With gaps a row is made ready for each pair anew, from the attributes common
 * to the pair.
 */
function angular(name: TextbookName, ready: (row: Float64Array) => void, gaps: boolean): Metric {
  if (!gaps) return { ...plain, name, ready, rank: cosineDistance };
  const rank: Rank = (x, q) => {
    const [a, b] = [x.slice(), q.slice()];
    ready(a);
    ready(b);
    return cosineDistance(a, b);
  };
  return { ...plain, name, rank: overCommon(unlessEmpty(rank)) };
}

/** Returns the share of the weight of all columns, missing ones included. */
function shareOf(count: Rank, weights: ArrayLike<number> | undefined): Rank {
  let total = 0;
  if (weights) for (let j = 0; j < weights.length; j++) total += weights[j];
  return (x, q) => count(x, q) / (weights ? total : x.length);
}
