/**
 * RapidMiner's vote and its regression, to the letter. A neighbour at distance d weighs (1 - d / D) / (k - 1), where D is
 * the sum of all distances: no weight exceeds 1 / (k - 1), an exact match does not win by itself, and with a similarity
 * (a negative distance) the most similar neighbour weighs least. Nothing is normalised at the end: with fewer than k rows
 * the confidences add up to less than 1.
 */
import { NO_CLASS } from "../../table/labels.ts";
import type { Neighborhoods, Votes } from "../vote.ts";
import type { Weights } from "../weights.ts";

/**
 * Confidences and classes. Equal confidences: the lower class; no confidence but NaN: no class.
 * @param neighbors in the order of the heap's array
 * @param codes class number of each training row
 * @param k the number of neighbours asked for, which may exceed that of the rows
 */
export function rapidminerVote(
  neighbors: Neighborhoods,
  codes: Uint32Array,
  classes: number,
  weights: Weights,
  k: number,
): Votes {
  const { queries } = neighbors;
  const probabilities = new Float64Array(queries * classes);
  const winners = new Uint32Array(queries);
  for (let q = 0; q < queries; q++) {
    const confidences = probabilities.subarray(q * classes, (q + 1) * classes);
    const { rows, distances } = neighborsOf(neighbors, q);
    if (weights === "uniform" || k === 1) {
      for (const row of rows) confidences[codes[row]] += 1 / k;
    } else {
      const { sum, divisor } = totals(distances, k);
      rows.forEach((row, i) => (confidences[codes[row]] += (1 - distances[i] / sum) / divisor));
    }
    winners[q] = firstStrictlyLarger(confidences);
  }
  return { probabilities, winners };
}

/** One number per query; parameters as above. The weighted form has no exception for k = 1, where every weight is 0. */
export function rapidminerAverage(
  neighbors: Neighborhoods,
  targets: Float64Array,
  weights: Weights,
  k: number,
): Float64Array {
  return Float64Array.from({ length: neighbors.queries }, (_, q) => {
    const { rows, distances } = neighborsOf(neighbors, q);
    let prediction = 0;
    if (weights === "uniform") {
      for (const row of rows) prediction += targets[row];
      return prediction / k;
    }
    const { sum, divisor } = totals(distances, k);
    rows.forEach((row, i) => (prediction += (targets[row] * (1 - distances[i] / sum)) / divisor));
    return prediction;
  });
}

function neighborsOf({ indices, distances, k }: Neighborhoods, query: number) {
  return {
    rows: indices.subarray(query * k, (query + 1) * k),
    distances: distances.subarray(query * k, (query + 1) * k),
  };
}

function totals(distances: Float64Array, k: number): { readonly sum: number; readonly divisor: number } {
  let sum = 0;
  for (const distance of distances) sum += distance;
  return sum === 0 ? { sum: 1, divisor: k } : { sum, divisor: Math.max(k - 1, 1) };
}

function firstStrictlyLarger(confidences: Float64Array): number {
  let best = -Infinity;
  let winner = NO_CLASS;
  confidences.forEach((confidence, code) => {
    if (confidence > best) [best, winner] = [confidence, code];
  });
  return winner;
}
