/**
 * This is RapidMiner's MahalanobisDistance: sqrt((x - q)' C^-1 (x - q)), C the covariance of the training
 * rows with divisor n - 1. The inverse is found in covariance.ts.
 */
import type { Rank } from "../rank.ts";

/** Returns the distance before its root. */
export function mahalanobisRank(inverse: Float64Array): Rank {
  let difference = new Float64Array();
  return (x, q) => {
    const cols = x.length;
    if (difference.length !== cols) difference = new Float64Array(cols);
    for (let j = 0; j < cols; j++) difference[j] = x[j] - q[j];
    let sum = 0;
    for (let at = 0, i = 0; i < cols; i++) {
      let product = 0;
      for (let j = 0; j < cols; j++, at++) product += inverse[at] * difference[j];
      sum += difference[i] * product;
    }
    return sum;
  };
}
