/**
 * This module computes the coefficient of determination. The other measures of performance are in
 * performance.ts.
 */
import { checkSameLength } from "./confusion.ts";

/**
 * Returns 1 - sum (y - p)^2 / sum (y - mean y)^2, as scikit-learn's r2_score: where all y are equal, 1 if
 * every prediction is right and 0 otherwise. It is NaN for fewer than two rows. Weights count rows in both
 * sums and in the mean; where all are 0, it is NaN.
 * @throws InvalidInputError when the two differ in length
 */
export function r2Score(
  truth: ArrayLike<number>,
  predicted: ArrayLike<number>,
  weightOf: (row: number) => number = () => 1,
): number {
  checkSameLength(truth, predicted);
  if (truth.length < 2) return NaN;
  let sum = 0;
  let weights = 0;
  for (let i = 0; i < truth.length; i++) {
    sum += weightOf(i) * truth[i];
    weights += weightOf(i);
  }
  if (!(weights > 0 && weights < Infinity)) return NaN;
  const mean = sum / weights;
  let left = 0;
  let total = 0;
  for (let i = 0; i < truth.length; i++) {
    left += weightOf(i) * (truth[i] - predicted[i]) ** 2;
    total += weightOf(i) * (truth[i] - mean) ** 2;
  }
  if (total > 0) return 1 - left / total;
  return left === 0 ? 1 : 0;
}
