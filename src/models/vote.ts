/** From neighbours to class probabilities. Weights are added in neighbour order in float64; ties go to the lower class. */
import { weightOf } from "./weights.ts";
import type { Weights } from "./weights.ts";

/** Row-major [queries][k], nearest first. */
export interface Neighborhoods {
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
  readonly queries: number;
  readonly k: number;
}

/** Row-major [queries][classes]; each row sums to 1 up to rounding. */
export interface Votes {
  readonly probabilities: Float64Array;
  /** Class number of the largest vote of each query; NO_CLASS where RapidMiner's vote gives none. */
  readonly winners: Uint32Array;
}

/** @param codes class number of each training row */
export function vote(
  { indices, distances, queries, k }: Neighborhoods,
  codes: Uint32Array,
  classes: number,
  weights: Weights,
): Votes {
  const probabilities = new Float64Array(queries * classes);
  const winners = new Uint32Array(queries);
  for (let q = 0; q < queries; q++) {
    const votes = probabilities.subarray(q * classes, (q + 1) * classes);
    const weight = weightOf(weights, distances.subarray(q * k, (q + 1) * k));
    let total = 0;
    for (let i = q * k; i < (q + 1) * k; i++) {
      const share = weight(distances[i]);
      votes[codes[indices[i]]] += share;
      total += share;
    }
    winners[q] = firstLargest(votes);
    for (let c = 0; c < classes; c++) votes[c] /= total;
  }
  return { probabilities, winners };
}

function firstLargest(votes: Float64Array): number {
  let best = 0;
  for (let c = 1; c < votes.length; c++) if (votes[c] > votes[best]) best = c;
  return best;
}
