/**
 * `classReport` measures predicted classes in full, by scikit-learn's definitions: precision, recall, F1 and
 * support of each class and their averages, balanced accuracy, and of probabilities AUC and log loss.
 * RapidMiner's measures are in performance.ts.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { plural } from "../../core/plural.ts";
import { sortedClasses } from "../../table/classes.ts";
import { checkSameLength } from "../confusion.ts";
import { isMissing, type Label } from "../labels.ts";
import { weightsOf } from "./sampleWeights.ts";

/**
 * `classReport` takes these options.
 * @example
 * const probabilities = [0.8, 0.2, 0.4, 0.6];
 * const options: ClassReportOptions = { classes: ["cat", "dog"], probabilities };
 * classReport(["cat", "cat"], ["cat", "dog"], options).auc; // => NaN
 * classReport(["cat", "dog"], ["cat", "dog"], options).auc; // => 1
 */
export interface ClassReportOptions {
  /** They are the classes in the order of the columns of `probabilities`, which needs them. */
  readonly classes?: readonly Label[] | undefined;
  /** They are row-major [rows][classes]; AUC and log loss need them. */
  readonly probabilities?: ArrayLike<number> | undefined;
  /** Each row has a weight of at least 0; default 1. */
  readonly sampleWeights?: ArrayLike<number> | undefined;
}

const names: OptionNames<ClassReportOptions> = { classes: 1, probabilities: 1, sampleWeights: 1 };

/**
 * They are averages over classes.
 * @example
 * const average: ClassAverage = classReport(["a", "a", "b"], ["a", "b", "b"]).macro;
 * average; // => { precision: 0.75, recall: 0.75, f1: 2 / 3 }
 */
export interface ClassAverage {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/**
 * `classReport` returns this. Arrays are in the order of `classes`.
 * @example
 * const report: ClassReport = classReport(["a", "a", "b"], ["a", "b", "b"]);
 * report.classes; // => ["a", "b"]
 * report.support; // => [2, 1]
 */
export interface ClassReport {
  /** They are the classes of labels, predictions and `options.classes`, sorted. */
  readonly classes: readonly Label[];
  /** This many rows are counted. */
  readonly rows: number;
  /** This many rows are left out, whose label or prediction is missing. */
  readonly leftOut: number;
  readonly accuracy: number;
  /** It is the mean recall of the classes that have rows. */
  readonly balancedAccuracy: number;
  /** It is the correct predictions of each class over all predictions of it; 0 if there are none. */
  readonly precision: Float64Array;
  /** It is the correct predictions of each class over all rows of it; 0 if there are none. */
  readonly recall: Float64Array;
  /** It is the harmonic mean of precision and recall; 0 if both are 0. */
  readonly f1: Float64Array;
  /** Each class has this many rows; with weights it is the sum of their weights. */
  readonly support: Float64Array;
  /** It has the means over all classes. */
  readonly macro: ClassAverage;
  /** It has the means over all classes, each weighted by its support. */
  readonly weighted: ClassAverage;
  /**
   * It is the area under the ROC curve: for two classes that of the second, for more the mean over the
   * classes, each against the rest. It is NaN without probabilities, and if all rows are of one class.
   */
  readonly auc: number;
  /**
   * It is the mean of -log p of the true class, p kept 2^-52 away from 0 and 1; NaN without probabilities.
   */
  readonly logLoss: number;
}

/**
 * Measures predicted classes in full. Rows whose label or prediction is missing (null, undefined, NaN) are
 * left out.
 * @example
 * const truth = ["cat", "cat", "dog"];
 * const { f1, macro, balancedAccuracy } = classReport(truth, ["cat", "dog", "dog"]);
 * f1; // => [2 / 3, 2 / 3]
 * macro.recall; // => 0.75
 * balancedAccuracy; // => 0.75
 * @throws InvalidInputError for lists of different lengths, probabilities without classes or too few of them,
 *   and weights that are negative or not finite
 */
export function classReport(
  truth: ArrayLike<Label | null | undefined>,
  predicted: ArrayLike<Label | null | undefined>,
  options: ClassReportOptions = {},
): ClassReport {
  checkOptions(options, "classReport", names);
  checkSameLength(truth, predicted);
  checkProbabilities(options, truth.length);
  const weightOf = weightsOf(options.sampleWeights, truth.length);
  const rows: number[] = [];
  for (let row = 0; row < truth.length; row++)
    if (!isMissing(truth[row]) && !isMissing(predicted[row])) rows.push(row);
  const labels = rows.map((row) => truth[row] as Label);
  const found = rows.map((row) => predicted[row] as Label);
  const classes = sortedClasses([...labels, ...found, ...(options.classes ?? [])]);
  const codeOf = new Map(classes.map((value, code) => [value, code]));
  const counted: CountedRows = {
    rows,
    truth: Uint32Array.from(labels, (label) => codeOf.get(label)!),
    weights: Float64Array.from(rows, weightOf),
  };
  const codes = Uint32Array.from(found, (label) => codeOf.get(label)!);
  return {
    classes,
    rows: rows.length,
    leftOut: truth.length - rows.length,
    ...measuresOf(counted, codes, classes.length),
    ...probabilityMeasures(counted, classes, options),
  };
}

/** It has the rows that count, with the class number and the weight of each. */
interface CountedRows {
  readonly rows: readonly number[];
  readonly truth: Uint32Array;
  readonly weights: Float64Array;
}

function measuresOf({ truth, weights }: CountedRows, predicted: Uint32Array, classes: number) {
  const support = new Float64Array(classes);
  const guesses = new Float64Array(classes);
  const right = new Float64Array(classes);
  weights.forEach((weight, i) => {
    support[truth[i]] += weight;
    guesses[predicted[i]] += weight;
    if (truth[i] === predicted[i]) right[truth[i]] += weight;
  });
  const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
  const precision = right.map((count, c) => share(count, guesses[c]));
  const recall = right.map((count, c) => share(count, support[c]));
  const f1 = precision.map((p, c) => share(2 * p * recall[c], p + recall[c]));
  const averaged = (by: (c: number) => number): ClassAverage => ({
    precision: averageOf(precision, by),
    recall: averageOf(recall, by),
    f1: averageOf(f1, by),
  });
  return {
    accuracy: total(right) / total(weights),
    balancedAccuracy: averageOf(recall, (c) => (support[c] > 0 ? 1 : 0)),
    precision,
    recall,
    f1,
    support,
    macro: averaged(() => 1),
    weighted: averaged((c) => support[c]),
  };
}

function averageOf(values: Float64Array, weightOf: (c: number) => number): number {
  let sum = 0;
  let weights = 0;
  values.forEach((value, c) => {
    sum += value * weightOf(c);
    weights += weightOf(c);
  });
  return sum / weights;
}

function total(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function probabilityMeasures(
  counted: CountedRows,
  classes: readonly Label[],
  { classes: ordered, probabilities }: ClassReportOptions,
): Pick<ClassReport, "auc" | "logLoss"> {
  if (ordered === undefined || probabilities === undefined) return { auc: NaN, logLoss: NaN };
  const columnOf = classes.map((value) => ordered.indexOf(value));
  const { rows, truth, weights } = counted;
  const scores = (code: number) =>
    Float64Array.from(rows, (row) =>
      columnOf[code] < 0 ? 0 : probabilities[row * ordered.length + columnOf[code]],
    );
  const areas = (classes.length === 2 ? [1] : [...classes.keys()])
    .map((code) => areaUnder(scores(code), truth, weights, code))
    .filter((area) => !Number.isNaN(area));
  let loss = 0;
  rows.forEach((row, i) => {
    const own = columnOf[truth[i]];
    const clipped = Array.from({ length: ordered.length }, (_, c) =>
      Math.min(1 - LEAST, Math.max(LEAST, probabilities[row * ordered.length + c])),
    );
    const sum = clipped.reduce((a, b) => a + b, 0);
    loss -= weights[i] * Math.log((own < 0 ? LEAST : clipped[own]) / sum);
  });
  return { auc: areas.reduce((a, b) => a + b, 0) / areas.length, logLoss: loss / total(weights) };
}

/** Log loss counts no lesser probability, so that one row does not make it infinite. */
const LEAST = 2 ** -52;

/** Returns the share of pairs of a row of the class and another in which the former has the higher score. */
function areaUnder(scores: Float64Array, truth: Uint32Array, weights: Float64Array, code: number): number {
  const order = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a]);
  let before = 0;
  let others = 0;
  let won = 0;
  for (let begin = 0; begin < order.length;) {
    let own = 0;
    let other = 0;
    let end = begin;
    for (; end < order.length && scores[order[end]] === scores[order[begin]]; end++) {
      if (truth[order[end]] === code) own += weights[order[end]];
      else other += weights[order[end]];
    }
    won += other * (before + own / 2);
    before += own;
    others += other;
    begin = end;
  }
  return won / (before * others);
}

function checkProbabilities({ classes, probabilities }: ClassReportOptions, rows: number): void {
  if (probabilities === undefined) return;
  if (classes === undefined)
    throw new InvalidInputError(
      "probabilities are given without classes; pass classes, in the order of their columns",
    );
  if (probabilities.length === rows * classes.length) return;
  throw new InvalidInputError(
    `${plural(probabilities.length, "probability", "probabilities")} given; expected ${rows * classes.length}, of ${plural(rows, "row")} and ${plural(classes.length, "class", "classes")}`,
  );
}
