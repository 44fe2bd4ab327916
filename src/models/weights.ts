/**
 * Weighs each neighbour of a query, for votes and for averages. RapidMiner's own weights are in
 * rapidminer/vote.ts.
 */
import { InvalidInputError, oneOf } from "../core/errors.ts";
import type { Metric } from "../distance/metric.ts";

export const weightNames = ["uniform", "distance"] as const;

/**
 * Neighbours have these weights. "uniform": every neighbour counts 1. "distance": 1 / distance; neighbours at
 * distance 0 share the whole vote. With `compat: "rapidminer"` they are that tool's plain and weighted vote.
 * @example
 * const weights: Weights = "distance"; // "uniform" would give 6, the plain mean
 * const model = await new KNeighborsRegressor({ nNeighbors: 2, weights }).fit([[0], [3]], [3, 9]);
 * await model.predict([[1], [0]]); // => [5, 3]
 * model.dispose();
 */
export type Weights = (typeof weightNames)[number];

/** @throws InvalidInputError for an unknown name, or for "distance" with a metric that can be negative. */
export function checkWeights(weights: Weights, metric: Metric): void {
  checkWeightName(weights);
  if (weights === "distance" && metric.signed) {
    throw new InvalidInputError(
      `weights "distance" need distances of at least 0, but ${metric.name} can be negative; use "uniform" weights or ` +
        `the metric cosine`,
    );
  }
}

/** @throws InvalidInputError for an unknown name. */
export function checkWeightName(weights: Weights): void {
  if (weightNames.includes(weights)) return;
  throw new InvalidInputError(
    `unknown weights ${JSON.stringify(weights) ?? typeof weights}; expected ${oneOf(weightNames)}`,
  );
}

/** Returns the weight of a neighbour by its distance, for the neighbours of one query. */
export function weightOf(weights: Weights, distances: Float64Array): (distance: number) => number {
  return weights === "uniform" ? () => 1 : inverseDistance(distances);
}

/**
 * Returns 1/d, as in scikit-learn: where some 1/d is infinite only those count. Infinitely far rows and rows
 * that have nothing in common with the query (NaN) count nothing, unless all are such: then all count the
 * same. Where only the sum of 1/d would overflow, it is d0/d with the least distance d0.
 */
function inverseDistance(distances: Float64Array): (distance: number) => number {
  if (distances.some((d) => 1 / d === Infinity)) return (d) => (1 / d === Infinity ? 1 : 0);
  if (!distances.some((d) => 1 / d > 0)) return () => 1;
  const nearest = distances.reduce((a, b) => (b < a || Number.isNaN(a) ? b : a));
  if (distances.length / nearest === Infinity) return (d) => (d >= nearest ? nearest / d : 0);
  return (d) => (d >= nearest ? 1 / d : 0);
}
