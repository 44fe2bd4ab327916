/**
 * This module votes and regresses as RapidMiner does, to the last bit. A neighbour at distance d weighs (1 -
 * d / D) / (k - 1), where D is the sum of all distances: no weight exceeds 1 / (k - 1), an exact match does
 * not win by itself, and with a similarity (a negative distance) the most similar neighbour weighs least.
 * Nothing is normalised at the end: with fewer than k rows the confidences add up to less than 1.
 */
import type { Votes } from "../vote.ts";
import type { Neighborhoods } from "../tally.ts";
import { countShares } from "../tally.ts";
import type { Weights } from "../weights.ts";

/**
 * Returns confidences and classes. Of equal confidences the lower class wins; where all confidences are NaN
 * there is no class.
 * @param neighbors in the order of the heap's array
 * @param codes class number of each training row
 * @param k the number of neighbours asked for, which may exceed that of the rows
 * @param onlyWinners leaves the probabilities empty
 */
export function rapidminerVote(
  neighbors: Neighborhoods,
  codes: Uint32Array,
  classes: number,
  weights: Weights,
  k: number,
  onlyWinners = false,
): Votes {
  const { distances } = neighbors;
  const shares = (q: number, own: Float64Array) => {
    const [begin, end] = [q * neighbors.k, (q + 1) * neighbors.k];
    if (weights === "uniform" || k === 1) {
      own.fill(1 / k);
      return;
    }
    const { sum, divisor } = totals(distances, begin, end, k);
    for (let at = begin; at < end; at++) own[at - begin] = (1 - distances[at] / sum) / divisor;
  };
  const { sums, winners, tops } = countShares(neighbors, codes, classes, shares, onlyWinners);
  return { probabilities: sums, winners, tops };
}

/**
 * Returns one number per query; the parameters are those of rapidminerVote. The weighted form has no
 * exception for k = 1, where every weight is 0.
 */
export function rapidminerAverage(
  neighbors: Neighborhoods,
  targets: Float64Array,
  weights: Weights,
  k: number,
): Float64Array {
  const { queries, indices, distances } = neighbors;
  const predictions = new Float64Array(queries);
  for (let q = 0; q < queries; q++) {
    const [begin, end] = [q * neighbors.k, (q + 1) * neighbors.k];
    if (weights === "uniform") {
      for (let at = begin; at < end; at++) predictions[q] += targets[indices[at]];
      predictions[q] /= k;
    } else {
      const { sum, divisor } = totals(distances, begin, end, k);
      for (let at = begin; at < end; at++)
        predictions[q] += (targets[indices[at]] * (1 - distances[at] / sum)) / divisor;
    }
  }
  return predictions;
}

function totals(distances: Float64Array, begin: number, end: number, k: number) {
  let sum = 0;
  for (let at = begin; at < end; at++) sum += distances[at];
  return sum === 0 ? { sum: 1, divisor: k } : { sum, divisor: Math.max(k - 1, 1) };
}
