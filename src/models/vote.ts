/** From neighbours to class probabilities. Weights are added in neighbour order in float64; ties go to the lower class. */
import { InvalidInputError, oneOf } from "../core/errors.ts";
import type { Metric } from "../core/metric.ts";

export const weightNames = ["uniform", "distance"] as const;

/** "uniform": every neighbour counts one. "distance": 1/d; neighbours at distance 0 share the whole vote. */
export type Weights = (typeof weightNames)[number];

/** @throws InvalidInputError for an unknown name, or for "distance" with a metric that can be negative. */
export function checkWeights(weights: Weights, metric: Metric): void {
  if (!weightNames.includes(weights)) {
    throw new InvalidInputError(`unknown weights ${JSON.stringify(weights)}; expected ${oneOf(weightNames)}`);
  }
  if (weights === "distance" && metric.signed) {
    throw new InvalidInputError(
      `weights "distance" need distances of at least 0, but ${metric.name} can be negative; use "uniform" weights or ` +
        `the metric cosine`,
    );
  }
}

/** Row-major [queries][classes]; each row sums to 1 up to rounding. */
export interface Votes {
  readonly probabilities: Float64Array;
  /** Class number of the largest vote of each query. */
  readonly winners: Uint32Array;
}

/**
 * @param neighbors indices and distances, row-major [queries][k], nearest first
 * @param codes class number of each training row
 */
export function vote(
  neighbors: {
    readonly indices: Uint32Array;
    readonly distances: Float64Array;
    readonly queries: number;
    readonly k: number;
  },
  codes: Uint32Array,
  classes: number,
  weights: Weights,
): Votes {
  const { indices, distances, queries, k } = neighbors;
  const probabilities = new Float64Array(queries * classes);
  const winners = new Uint32Array(queries);
  for (let q = 0; q < queries; q++) {
    const votes = probabilities.subarray(q * classes, (q + 1) * classes);
    const weightOf =
      weights === "uniform" ? () => 1 : distanceWeights(distances.subarray(q * k, (q + 1) * k));
    let total = 0;
    for (let i = q * k; i < (q + 1) * k; i++) {
      const weight = weightOf(distances[i]);
      votes[codes[indices[i]]] += weight;
      total += weight;
    }
    winners[q] = firstLargest(votes);
    for (let c = 0; c < classes; c++) votes[c] /= total;
  }
  return { probabilities, winners };
}

/**
 * 1/d, as in scikit-learn: where some 1/d is infinite only those count. Where all are 0 (infinitely far) all count the
 * same, and where only their sum would overflow, d0/d with the least distance d0.
 */
function distanceWeights(distances: Float64Array): (distance: number) => number {
  if (distances.some((d) => 1 / d === Infinity)) return (d) => (1 / d === Infinity ? 1 : 0);
  if (distances.every((d) => 1 / d === 0)) return () => 1;
  const nearest = distances.reduce((a, b) => Math.min(a, b));
  if (distances.length / nearest === Infinity) return (d) => nearest / d;
  return (d) => 1 / d;
}

function firstLargest(votes: Float64Array): number {
  let best = 0;
  for (let c = 1; c < votes.length; c++) if (votes[c] > votes[best]) best = c;
  return best;
}
