/** Turns neighbours into numbers: the weighted mean of their labels, summed in neighbour order in float64. */
import type { Neighborhoods } from "./tally.ts";
import { weightOf } from "./weights.ts";
import type { Weights } from "./weights.ts";

/**
 * Returns one number per query, sum(w * y) / sum(w).
 * @param targets the label of each training row
 */
export function average(
  { indices, distances, queries, k }: Neighborhoods,
  targets: Float64Array,
  weights: Weights,
): Float64Array {
  return Float64Array.from({ length: queries }, (_, q) => {
    const weight = weightOf(weights, distances.subarray(q * k, (q + 1) * k));
    let sum = 0;
    let total = 0;
    for (let i = q * k; i < (q + 1) * k; i++) {
      const share = weight(distances[i]);
      sum += share * targets[indices[i]];
      total += share;
    }
    return sum / total;
  });
}
