/**
 * `crossValidate` estimates how well a model predicts rows it has not seen. Every row is tested once, by a
 * model that was fitted, preparation and all, on the rows of the other folds.
 */
import { checkOneOf, checkOptions, type OptionNames } from "../../core/options.ts";
import { executeNames, type ExecuteOptions } from "../../runtime/execute.ts";
import { explainAll, type KnnExplanation } from "../../ops/knn/index.ts";
import { cellOf } from "../../table/column.ts";
import type { Table } from "../../table/table.ts";
import type { KNeighborsClassifier } from "../classifier.ts";
import { dataHints, type DataHint } from "../hints.ts";
import type { Rows } from "../features.ts";
import type { Label, Labels } from "../labels.ts";
import { labelledTable } from "../matrixTable.ts";
import type { Targets } from "../target.ts";
import { isClassification, predictorOf } from "../pipeline.ts";
import type { Estimator, Pipeline } from "../pipeline.ts";
import { chooseFeatures } from "../preparation/index.ts";
import type { KNeighborsRegressor } from "../regressor.ts";
import { FoldImportance } from "./foldImportance.ts";
import type { ImportanceOptions, PermutationImportance } from "./importance.ts";
import { Keeper, type TestedNeighbors } from "./kept.ts";
import { NO_FOLD, drawFolds, foldNames, type FoldOptions } from "./folds.ts";
import { classificationPerformance, regressionPerformance } from "./performance.ts";
import type { ClassificationPerformance, RegressionPerformance } from "./performance.ts";
import { foldCounts, weightColumn } from "./sampleWeights.ts";
import { rowsWhere } from "./split.ts";

/**
 * `crossValidate` takes these options.
 * @example
 * const options: CrossValidateOptions = { folds: 2, sampling: "linear" };
 * const table = Table.fromColumns({ rooms: [1, 2, 3, 4], rent: [430, 610, 880, 1150] });
 * const model = new KNeighborsRegressor({ nNeighbors: 1 });
 * (await crossValidate(model, table, "rent", options)).foldOf; // => [0, 0, 1, 1]
 * model.dispose();
 */
export interface CrossValidateOptions extends ExecuteOptions, FoldOptions {
  /**
   * True keeps the class probabilities that each row was tested with, "top" only that of its predicted class;
   * default false.
   */
  readonly probabilities?: boolean | "top" | undefined;
  /** True keeps the neighbours that each row was predicted from; default false. */
  readonly neighbors?: boolean | undefined;
  /**
   * This column has the weight of each row in all measures, like scikit-learn's sample_weight; it is not a
   * feature and does not change how neighbours vote. Means over folds count every fold once; with
   * "leave-one-out" a fold counts by the weight of its row, since the measure of a single row does not depend
   * on it. By default each row weighs 1.
   */
  readonly sampleWeights?: string | undefined;
  /**
   * True, or options of `permutationImportance`, measures how much each column matters to predictions of the
   * rows of each fold; default false. It takes columns x repeats more searches of all rows.
   */
  readonly importance?: boolean | Pick<ImportanceOptions, "repeats" | "seed" | "measure"> | undefined;
  /** It is called at the end, with how the neighbours of the rows of all folds were found. */
  readonly onExplanation?: ((explanation: KnnExplanation) => void) | undefined;
}

const optionNames: OptionNames<CrossValidateOptions> = {
  ...foldNames,
  probabilities: 1,
  neighbors: 1,
  sampleWeights: 1,
  importance: 1,
  onExplanation: 1,
  ...executeNames,
};

/**
 * It has the mean and the deviation of a measure over the folds.
 * @example
 * const table = Table.fromColumns({ x: [0, 1, 5], y: [0, 1, 5] });
 * const model = new KNeighborsRegressor({ nNeighbors: 1 });
 * const { macro } = await crossValidate(model, table, "y", { folds: 3 });
 * const { mean, deviation }: Spread = macro.mae; // of the errors 1, 1 and 4
 * [mean, deviation]; // => [2, Math.sqrt(3)]
 * model.dispose();
 */
export interface Spread {
  /** It is the macro average; NaN when the measure is undefined in a fold. */
  readonly mean: number;
  /** It is the sample standard deviation, divisor folds - 1. */
  readonly deviation: number;
}

interface Validation<Performance, Measure extends string> {
  /** Each fold has these measures. */
  readonly folds: readonly Performance[];
  readonly macro: Readonly<Record<Measure, Spread>>;
  /** It has the measures over all rows at once, not over folds. */
  readonly micro: Performance;
  /** Each row of the table was tested in this fold, from 0; 0xFFFFFFFF without a label. */
  readonly foldOf: Uint32Array;
  /** This many rows have no label and are in no fold. */
  readonly unlabelled: number;
  /** They are the hints on the table and the model, as `dataHints` gives them. */
  readonly hints: readonly DataHint[];
  /** Each row has these neighbours among the rows of other folds, if they were asked for. */
  readonly neighbors?: TestedNeighbors;
  /**
   * It is the importance of each column, if it was asked for. The measure is taken over all rows at once;
   * cells are shuffled among the rows of all folds.
   */
  readonly importance?: PermutationImportance;
}

/**
 * `crossValidate` returns this for a classifier.
 * @example
 * const table = Table.fromColumns({ x: [0, 1, 8, 9, 5], kind: ["a", "a", "b", "b", null] });
 * const model = new KNeighborsClassifier({ nNeighbors: 1 });
 * const found: ClassificationValidation = await crossValidate(model, table, "kind", { folds: 2 });
 * found.predictions; // => ["a", "a", "b", "b", null]
 * found.micro.accuracy; // => 1
 * model.dispose();
 */
export interface ClassificationValidation extends Validation<
  ClassificationPerformance,
  "accuracy" | "kappa"
> {
  readonly kind: "classification";
  /** Each row of the table has one; null for rows without a label. */
  readonly predictions: (Label | null)[];
  /** These are the classes, sorted, where the probabilities of all were asked for. */
  readonly classes?: readonly Label[];
  /**
   * They are row-major [rows][classes], with "top" one a row, where they were asked for; NaN for rows without
   * a label.
   */
  readonly probabilities?: Float64Array;
}

/**
 * `crossValidate` returns this for a regressor.
 * @example
 * const table = Table.fromColumns({ rooms: [1, 2, 3, 4], rent: [430, 610, 880, 1150] });
 * const model = new KNeighborsRegressor({ nNeighbors: 1 });
 * const found: RegressionValidation = await crossValidate(model, table, "rent", { folds: 4 });
 * found.predictions; // => [610, 430, 610, 880]
 * found.micro.mae; // => 225
 * model.dispose();
 */
export interface RegressionValidation extends Validation<
  RegressionPerformance,
  "rmse" | "mae" | "correlation" | "r2"
> {
  readonly kind: "regression";
  /** Each row of the table has one; NaN for rows without a label. */
  readonly predictions: Float64Array;
}

/**
 * Estimates how well a model predicts rows of a table that it was not fitted on.
 *
 * Folds share the table's dictionaries, so that a value of one fold is never unknown to another. The model is
 * fitted once per fold and stays fitted on the last. Folds are drawn as RapidMiner's Split Data draws equal
 * parts with a local seed.
 * @param model an estimator, or a pipeline with its preparation
 * @param rows a table, or a matrix, whose columns are called 0, 1 and so on
 * @param labels one per row, or the name of the table's column to predict
 * @example
 * const table = Table.fromColumns({
 *   height: [91, 87, 94, 42, 40, 44],
 *   species: ["thistle", "thistle", "thistle", "poppy", "poppy", "poppy"],
 * });
 * const model = new Pipeline([new Normalize()], new KNeighborsClassifier({ nNeighbors: 1 }));
 * const { macro, micro } = await crossValidate(model, table, "species", { folds: 3 });
 * macro.accuracy; // => { mean: 1, deviation: 0 }
 * micro.confusion.counts; // => [3, 0, 0, 3]
 * model.dispose();
 * @throws InvalidInputError when there are fewer rows with a label than folds, or too few to train on
 */
export async function crossValidate(
  model: KNeighborsClassifier | Pipeline<KNeighborsClassifier>,
  rows: Rows,
  labels: Labels | Targets | string,
  options?: CrossValidateOptions,
): Promise<ClassificationValidation>;
export async function crossValidate(
  model: KNeighborsRegressor | Pipeline<KNeighborsRegressor>,
  rows: Rows,
  labels: Labels | Targets | string,
  options?: CrossValidateOptions,
): Promise<RegressionValidation>;
export async function crossValidate(
  model: Estimator | Pipeline,
  rows: Rows,
  labels: Labels | Targets | string,
  options?: CrossValidateOptions,
): Promise<ClassificationValidation | RegressionValidation>;
export async function crossValidate(
  model: Estimator | Pipeline,
  rows: Rows,
  labels: Labels | Targets | string,
  options: CrossValidateOptions = {},
): Promise<ClassificationValidation | RegressionValidation> {
  checkOptions(options, "crossValidate", optionNames);
  checkOneOf(options.probabilities, [true, false, "top"], "probabilities");
  const pipeline: Pipeline = predictorOf(model);
  const { table: given, label } = labelledTable(rows, labels);
  const { foldOf, folds, unlabelled } = drawFolds(given, label, isClassification(pipeline), options);
  const { signal, onProgress, onExplanation, groups, probabilities = false, neighbors = false } = options;
  const weights =
    options.sampleWeights === undefined ? undefined : weightColumn(given, label, options.sampleWeights);
  const table = given.drop([groups, options.sampleWeights].filter((name) => name !== undefined));
  const predictions = new Array<Label | null>(table.rows).fill(null);
  const keeper =
    probabilities || neighbors || onExplanation
      ? new Keeper(pipeline, table, label, { probabilities, neighbors })
      : undefined;
  const { importance: choice = false } = options;
  const importance =
    choice === false
      ? undefined
      : new FoldImportance(pipeline, { table, label, foldOf, weights }, choice === true ? {} : choice);
  for (let fold = 0; fold < folds; fold++) {
    signal?.throwIfAborted();
    onProgress?.({ phase: "cross-validation", done: fold, total: folds });
    const tested = rowsWhere(foldOf, (own) => own === fold);
    const trained = rowsWhere(foldOf, (own) => own !== fold && own !== NO_FOLD);
    // In the turn of the fit, so that another one of the same model cannot come in between.
    const predict = async (): Promise<ArrayLike<Label | null>> => {
      const own: Promise<ArrayLike<Label | null>> =
        keeper === undefined
          ? pipeline.predict(table.take(tested), { signal })
          : keeper.predict(table.take(tested), tested, trained, signal);
      const [predicted] = await Promise.all([own, importance?.test(tested, signal)]);
      return predicted;
    };
    const found = await pipeline.fitThen(table.take(trained), label, predict);
    tested.forEach((row, i) => (predictions[row] = found[i]));
    importance?.testedAsIs(tested, found);
  }
  onProgress?.({ phase: "cross-validation", done: folds, total: folds });
  if (keeper) onExplanation?.(explainAll(keeper.explanations));
  const shared = {
    foldOf,
    unlabelled,
    hints: hintsFor(pipeline, table, label),
    ...keeper?.result,
    ...(importance === undefined ? {} : { importance: importance.result() }),
  };
  const drawn = { foldOf, count: folds, weights, countsOf: foldCounts(weights, foldOf, folds, options) };
  return isClassification(pipeline)
    ? { ...shared, ...classificationOf(table, label, predictions, drawn) }
    : { ...shared, ...regressionOf(table, label, predictions, drawn, pipeline) };
}

function hintsFor(pipeline: Pipeline, table: Table, label: string): DataHint[] {
  const { steps, model } = pipeline;
  const { metric, missing, columnWeights } = model.options;
  return dataHints(table, chooseFeatures(table, model.options, label), {
    metric,
    missing,
    columnWeights,
    preparation: steps,
    ...(isClassification(pipeline) ? { classes: label } : {}),
  });
}

/** Rows are in these folds, and count with these weights. */
interface Drawn {
  readonly foldOf: Uint32Array;
  readonly count: number;
  readonly weights: Float64Array | undefined;
  /** Each fold counts so in means; default 1. */
  readonly countsOf: Float64Array | undefined;
}

function classificationOf(
  table: Table,
  label: string,
  predictions: (Label | null)[],
  { foldOf, count, weights, countsOf }: Drawn,
) {
  const column = table.column(label);
  const performanceOf = (rows: readonly number[]) =>
    classificationPerformance(
      rows.map((row) => cellOf(column, row)),
      rows.map((row) => predictions[row]),
      { sampleWeights: weights && rows.map((row) => weights[row]) },
    );
  const { folds, micro } = performances(foldOf, count, performanceOf);
  const macro = { accuracy: spread(folds, "accuracy", countsOf), kappa: spread(folds, "kappa", countsOf) };
  return { kind: "classification" as const, folds, macro, micro, predictions };
}

function regressionOf(
  table: Table,
  label: string,
  found: readonly unknown[],
  { foldOf, count, weights, countsOf }: Drawn,
  { model: { options } }: Pipeline,
) {
  const column = table.column(label);
  const predictions = Float64Array.from(found, (prediction) =>
    prediction === null ? NaN : Number(prediction),
  );
  const performanceOf = (rows: readonly number[]) =>
    regressionPerformance(
      rows.map((row) => Number(cellOf(column, row))),
      rows.map((row) => predictions[row]),
      { compat: options.compat, sampleWeights: weights && rows.map((row) => weights[row]) },
    );
  const { folds, micro } = performances(foldOf, count, performanceOf);
  const macro = {
    rmse: spread(folds, "rmse", countsOf),
    mae: spread(folds, "mae", countsOf),
    correlation: spread(folds, "correlation", countsOf),
    r2: spread(folds, "r2", countsOf),
  };
  return { kind: "regression" as const, folds, macro, micro, predictions };
}

function performances<P>(foldOf: Uint32Array, count: number, performanceOf: (rows: readonly number[]) => P) {
  const folds = Array.from({ length: count }, (_, fold) =>
    performanceOf(rowsWhere(foldOf, (own) => own === fold)),
  );
  return { folds, micro: performanceOf(rowsWhere(foldOf, (own) => own !== NO_FOLD)) };
}

function spread<Measure extends string>(
  folds: readonly Readonly<Record<Measure, number>>[],
  measure: Measure,
  counts: Float64Array | undefined,
): Spread {
  return spreadOf(
    Float64Array.from(folds, (fold) => fold[measure]),
    counts,
  );
}

/**
 * Returns mean and sample deviation.
 * @param counts each value counts so often, at least 0; default once
 */
export function spreadOf(
  values: Float64Array,
  counts: ArrayLike<number> = new Float64Array(values.length).fill(1),
): Spread {
  const kept = Array.from(values.keys()).filter((at) => counts[at] > 0);
  const sumOver = (each: (value: number) => number) =>
    kept.reduce((sum, at) => sum + counts[at] * each(values[at]), 0);
  const total = sumOver(() => 1);
  const centre = sumOver((value) => value) / total;
  const squares = sumOver((value) => (value - centre) ** 2);
  return { mean: centre, deviation: Math.sqrt(squares / (total - total / kept.length)) };
}
