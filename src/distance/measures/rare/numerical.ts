/**
 * These are RapidMiner's NumericalMeasures that are not textbook metrics. Similarities s are ranked by -s,
 * the cosine by its angle. Each function compares rows without gaps; `numericalRank` says what a missing
 * value does to it. Division by zero gives infinity or NaN, as there.
 */
import { acos } from "../../../core/float/trigonometry.ts";
import { absoluteDifferences, dot, largestDifference, squaredDifferences } from "../differences.ts";
import type { Kernel } from "../kernels.ts";
import type { NumericalMeasure } from "../names.ts";
import { overCommon, unlessEmpty } from "../rank.ts";
import type { Rank } from "../rank.ts";
import { kernelDistance } from "./kernelDistance.ts";
import { timeWarping } from "./timeWarping.ts";

/** Returns the rank of a measure; for EuclideanDistance that is the square of the distance. */
export function numericalRank(measure: NumericalMeasure, kernel: Kernel): Rank {
  switch (measure) {
    case "EuclideanDistance":
      return overCommon(unlessEmpty(squaredDifferences));
    case "CamberraDistance":
      return overCommon(unlessEmpty(camberra));
    case "ChebychevDistance":
      return overCommon(unlessEmpty(largestDifference));
    case "CorrelationSimilarity":
      return correlation;
    case "CosineSimilarity":
      return overCommon(angle);
    case "DiceSimilarity":
      return overCommon(dice);
    case "DynamicTimeWarpingDistance":
      return timeWarping;
    case "InnerProductSimilarity":
      return overCommon((x, q) => -dot(x, q));
    case "JaccardSimilarity":
      return overCommon(jaccard);
    case "KernelEuclideanDistance":
      return kernelDistance(kernel);
    case "ManhattanDistance":
      return overCommon(unlessEmpty(absoluteDifferences));
    case "MaxProductSimilarity":
      return overCommon(largestProduct);
    case "OverlapSimilarity":
      return overCommon(overlap);
  }
}

/** Returns RapidMiner's Camberra distance. The denominator is |x + q|, not |x| + |q|. */
function camberra(x: Float64Array, q: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < x.length; j++) sum += Math.abs(x[j] - q[j]) / Math.abs(x[j] + q[j]);
  return sum;
}

function correlation(x: Float64Array, q: Float64Array): number {
  const xMean = sumOf(x) / x.length;
  const qMean = sumOf(q) / q.length;
  let xx = 0;
  let qq = 0;
  let xq = 0;
  for (let j = 0; j < x.length; j++) {
    const a = x[j] - xMean;
    const b = q[j] - qMean;
    xq += a * b;
    xx += a * a;
    qq += b * b;
  }
  return -(xq / Math.sqrt(xx * qq));
}

/** Returns the angle in radians. Two zero rows are equal, one zero row is at a right angle to everything. */
function angle(x: Float64Array, q: Float64Array): number {
  const xx = dot(x, x);
  const qq = dot(q, q);
  if (xx === 0 && qq === 0) return 0;
  const cosine = xx === 0 || qq === 0 ? 0 : dot(x, q) / (Math.sqrt(xx) * Math.sqrt(qq));
  return acos(Math.min(Math.max(cosine, -1), 1));
}

/** Returns the Dice similarity, with plain sums in the denominator, not squares. */
function dice(x: Float64Array, q: Float64Array): number {
  return -((2 * dot(x, q)) / (sumOf(x) + sumOf(q)));
}

function jaccard(x: Float64Array, q: Float64Array): number {
  const product = dot(x, q);
  const denominator = sumOf(x) + sumOf(q) - product;
  return denominator === 0 ? NaN : -(product / denominator);
}

/** Returns the largest product; NaN unless some product is above 0. */
function largestProduct(x: Float64Array, q: Float64Array): number {
  let largest = 0;
  for (let j = 0; j < x.length; j++) {
    const product = x[j] * q[j];
    if (product > largest) largest = product;
  }
  return largest > 0 ? -largest : NaN;
}

function overlap(x: Float64Array, q: Float64Array): number {
  let least = 0;
  for (let j = 0; j < x.length; j++) least += Math.min(x[j], q[j]);
  return -(least / Math.min(sumOf(x), sumOf(q)));
}

function sumOf(row: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < row.length; j++) sum += row[j];
  return sum;
}
