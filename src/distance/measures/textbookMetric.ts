/**
 * These are the usual metrics, under scikit-learn's names, with weights and gaps where they are asked for.
 * Where they are not, the plain loops run, which give the same bits. The others are in rare/.
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
import type { UsualName } from "./names.ts";
import { mixedDifferences, overCommon, sumOverCommon, unlessEmpty } from "./rank.ts";
import type { Rank, Term } from "./rank.ts";

export const plain = {
  p: 2,
  signed: false,
  ordersByRank: false,
  ready: undefined,
  distance: (rank: number) => rank,
} as const;

export function textbookMetric(name: UsualName, options: MetricOptions, fitted: Fitted): Metric {
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
  }
}

const squared: Term = (x, q) => (x - q) * (x - q);
const absolute: Term = (x, q) => Math.abs(x - q);
export const differs: Term = (x, q) => (x === q ? 0 : 1);

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
function angular(name: UsualName, ready: (row: Float64Array) => void, gaps: boolean): Metric {
  if (!gaps) return { ...plain, name, ready, rank: cosineDistance };
  const rank: Rank = (x, q) => {
    const [a, b] = [x.slice(), q.slice()];
    ready(a);
    ready(b);
    return cosineDistance(a, b);
  };
  return { ...plain, name, rank: overCommon(unlessEmpty(rank)) };
}
