/**
 * Measures how good predictions are, with the names and definitions of RapidMiner's performance operators:
 * accuracy, kappa, precision and recall of classes; errors, correlation and R2 of numbers. The matrix of
 * classes itself is in confusion.ts.
 */
import { checkSameLength, classPairs, confusion } from "../confusion.ts";
import { checkOneOf, checkOptions } from "../../core/options.ts";
import type { Confusion } from "../confusion.ts";
import { isMissing, type Label } from "../labels.ts";
import { compatNames, type Compat } from "../nearestNeighbors.ts";
import { sumOf } from "../preparation/statistics.ts";
import { r2Score } from "../r2.ts";
import { weightsOf } from "./sampleWeights.ts";

/**
 * `classificationPerformance` takes these options.
 * @example
 * const options: PerformanceOptions = { sampleWeights: [3, 1] };
 * classificationPerformance(["cat", "dog"], ["cat", "cat"], options).accuracy; // => 0.75
 */
export interface PerformanceOptions {
  /**
   * Each row counts with this weight of at least 0 in every measure, as scikit-learn's sample_weight does;
   * default 1. `rows` and `confusion` count rows whatever their weights are. Measures are NaN where all
   * weights are 0.
   */
  readonly sampleWeights?: ArrayLike<number> | undefined;
}

/**
 * `classificationPerformance` returns this.
 * @example
 * const truth = ["cat", "cat", "dog"];
 * const found: ClassificationPerformance = classificationPerformance(truth, ["cat", "dog", "dog"]);
 * const { classes } = found.confusion;
 * found.precision[classes.indexOf("dog")]; // => 1 / 2
 * found.recall[classes.indexOf("dog")]; // => 1
 */
export interface ClassificationPerformance {
  /** This many rows are counted. */
  readonly rows: number;
  /** This many rows are left out, whose label or prediction is missing. */
  readonly leftOut: number;
  readonly accuracy: number;
  /** Cohen's kappa is (pa - pe) / (1 - pe), where pe is the accuracy of chance; NaN where that is 1. */
  readonly kappa: number;
  /**
   * It is the correct predictions of each class over all predictions of it, in the order of
   * `confusion.classes`; NaN if there are none.
   */
  readonly precision: Float64Array;
  /** It is the correct predictions of each class over all rows of it; NaN if there are none. */
  readonly recall: Float64Array;
  readonly confusion: Confusion;
}

/**
 * Returns accuracy, kappa, precision, recall and confusion matrix of predicted classes.
 * @example
 * const truth = ["cat", "cat", "dog"];
 * const { accuracy, precision, recall } = classificationPerformance(truth, ["cat", "dog", "dog"]);
 * accuracy; // => 2 / 3
 * precision; // => [1, 1 / 2]
 * recall; // => [1 / 2, 1]
 * @throws InvalidInputError when the two differ in length
 */
export function classificationPerformance(
  truth: ArrayLike<Label | null | undefined>,
  predicted: ArrayLike<Label | null | undefined>,
  options: PerformanceOptions = {},
): ClassificationPerformance {
  checkOptions(options, "classificationPerformance", { sampleWeights: 1 });
  const weightOf = weightsOf(options.sampleWeights, truth.length);
  const matrix = confusion(truth, predicted);
  const { classes, pairs, leftOut } = classPairs(truth, predicted);
  const kept = Array.from(truth).flatMap((label, row) =>
    isMissing(label) || isMissing(predicted[row]) ? [] : [weightOf(row)],
  );
  const ofTrue = new Float64Array(classes.length);
  const ofPredicted = new Float64Array(classes.length);
  const ofBoth = new Float64Array(classes.length);
  for (const [at, [label, prediction]] of pairs.entries()) {
    ofTrue[label] += kept[at];
    ofPredicted[prediction] += kept[at];
    if (label === prediction) ofBoth[label] += kept[at];
  }
  const total = sumOf(ofTrue);
  const accuracy = sumOf(ofBoth) / total;
  const chance = ofTrue.reduce((sum, count, c) => sum + count * ofPredicted[c], 0) / (total * total);
  return {
    rows: truth.length - leftOut,
    leftOut,
    accuracy,
    kappa: (accuracy - chance) / (1 - chance),
    precision: ofPredicted.map((count, c) => ofBoth[c] / count),
    recall: ofTrue.map((count, c) => ofBoth[c] / count),
    confusion: matrix,
  };
}

/**
 * `regressionPerformance` returns this.
 * @example
 * const found: RegressionPerformance = regressionPerformance([1, 2, 3, NaN], [1, 2, 6, 0]);
 * const { mae, rows, leftOut } = found;
 * mae; // => 1
 * [rows, leftOut]; // => [3, 1]
 */
export interface RegressionPerformance {
  /** This many rows are counted. */
  readonly rows: number;
  /** This many rows are left out, whose label or prediction is missing (NaN). */
  readonly leftOut: number;
  /** It is the root of the mean squared error. */
  readonly rmse: number;
  /** It is the mean absolute error. */
  readonly mae: number;
  /**
   * It is Pearson's r; NaN where either side does not vary. With `compat: "rapidminer"` negative and
   * undefined values become 0.
   */
  readonly correlation: number;
  /** It is the coefficient of determination as scikit-learn's r2_score, not the square of the correlation. */
  readonly r2: number;
}

/**
 * Returns errors, correlation and R2 of predicted numbers.
 * @example
 * const { mae, rmse, r2 } = regressionPerformance([1, 2, 3], [1, 2, 6]);
 * mae; // => 1
 * rmse; // => Math.sqrt(3)
 * r2; // => -3.5
 * @throws InvalidInputError when the two differ in length
 */
export function regressionPerformance(
  truth: ArrayLike<number>,
  predicted: ArrayLike<number>,
  options: PerformanceOptions & { readonly compat?: Compat | undefined } = {},
): RegressionPerformance {
  checkOptions(options, "regressionPerformance", { compat: 1, sampleWeights: 1 });
  const { compat } = options;
  const weightOf = weightsOf(options.sampleWeights, truth.length);
  if (compat !== undefined) checkOneOf(compat, compatNames, "compat");
  checkSameLength(truth, predicted);
  const kept = Array.from(truth).flatMap((y, i) =>
    Number.isNaN(y) || Number.isNaN(predicted[i]) ? [] : [i],
  );
  const y = Float64Array.from(kept, (i) => truth[i]);
  const p = Float64Array.from(kept, (i) => predicted[i]);
  const w = Float64Array.from(kept, weightOf);
  const r = correlation(y, p, w);
  return {
    rows: kept.length,
    leftOut: truth.length - kept.length,
    rmse: Math.sqrt(
      weighted(
        y.map((value, i) => (value - p[i]) ** 2),
        w,
      ),
    ),
    mae: weighted(
      y.map((value, i) => Math.abs(value - p[i])),
      w,
    ),
    correlation: compat ? Math.max(r || 0, 0) : r,
    r2: r2Score(y, p, (i) => w[i]),
  };
}

function correlation(y: Float64Array, p: Float64Array, w: Float64Array): number {
  const [meanY, meanP] = [weighted(y, w), weighted(p, w)];
  const products = (a: Float64Array, meanA: number, b: Float64Array, meanB: number) =>
    a.reduce((sum, value, i) => sum + w[i] * (value - meanA) * (b[i] - meanB), 0);
  return (
    products(y, meanY, p, meanP) / Math.sqrt(products(y, meanY, y, meanY) * products(p, meanP, p, meanP))
  );
}

function weighted(values: Float64Array, weights: Float64Array): number {
  return values.reduce((sum, value, i) => sum + weights[i] * value, 0) / sumOf(weights);
}

/** Returns the mean; NaN for no values. */
export function mean(values: Float64Array): number {
  return sumOf(values) / values.length;
}
