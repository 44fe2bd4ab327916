/**
 * Turns neighbours into class probabilities. Weights are added in neighbour order in float64; ties go to the
 * lower class.
 */
import { countShares } from "./tally.ts";
import type { Neighborhoods } from "./tally.ts";
import { weightOf } from "./weights.ts";
import type { Weights } from "./weights.ts";

/** A vote gives this result. */
export interface Votes {
  /** They are row-major [queries][classes]; each row sums to 1 up to rounding. */
  readonly probabilities: Float64Array;
  /** Each query's largest vote is for this class number; NO_CLASS where RapidMiner's vote gives none. */
  readonly winners: Uint32Array;
  /** Each query's winner has this probability; NaN where there is none. */
  readonly tops: Float64Array;
}

/**
 * Returns the probabilities and the winners of a weighted vote.
 * @param codes class number of each training row
 * @param onlyWinners leaves the probabilities empty
 */
export function vote(
  neighbors: Neighborhoods,
  codes: Uint32Array,
  classes: number,
  weights: Weights,
  onlyWinners = false,
): Votes {
  const { distances, queries, k } = neighbors;
  const totals = new Float64Array(queries);
  const shares = (q: number, own: Float64Array) => {
    const weight = weightOf(weights, distances.subarray(q * k, (q + 1) * k));
    for (let i = 0; i < k; i++) {
      own[i] = weight(distances[q * k + i]);
      totals[q] += own[i];
    }
  };
  const { sums, winners, tops } = countShares(neighbors, codes, classes, shares, onlyWinners);
  for (let q = 0; q < queries && !onlyWinners; q++)
    for (let c = 0; c < classes; c++) sums[q * classes + c] /= totals[q];
  return { probabilities: sums, winners, tops: tops.map((top, q) => top / totals[q]) };
}
