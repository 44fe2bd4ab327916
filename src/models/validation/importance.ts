/**
 * `permutationImportance` measures how much a fitted model relies on each column: by how much its predictions
 * of other rows get worse when the cells of the column change places. It is scikit-learn's function of that
 * name, with the generator of this library.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { checkOneOf, checkOptions, type OptionNames } from "../../core/options.ts";
import { executeNames, type ExecuteOptions } from "../../runtime/execute.ts";
import { checkLabelKind } from "../../table/classes.ts";
import { cellOf, isMissing } from "../../table/column.ts";
import { Table } from "../../table/table.ts";
import { KNeighborsClassifier } from "../classifier.ts";
import type { Label } from "../labels.ts";
import { predictorOf, type Estimator, type Pipeline } from "../pipeline.ts";
import { classReport } from "./classReport.ts";
import { checkSeed, DEFAULT_SEED } from "./partition.ts";
import { classificationPerformance, mean, regressionPerformance } from "./performance.ts";
import { SeededRandom } from "./random.ts";
import { weightColumn } from "./sampleWeights.ts";
import { isSmallestBest, tuneMeasures, type TuneMeasure } from "./score.ts";

/**
 * `permutationImportance` takes these options.
 * @example
 * const options: ImportanceOptions = { repeats: 2, measure: "mae" };
 * const table = Table.fromColumns({ x: [0, 1, 8, 9], y: [0, 1, 8, 9] });
 * const model = await new KNeighborsRegressor({ nNeighbors: 1 }).fit(table, "y");
 * const { columns } = await permutationImportance(model, table, "y", options);
 * columns[0].scores.length; // => 2
 * model.dispose();
 */
export interface ImportanceOptions extends ExecuteOptions {
  /** Each column is shuffled this many times; default 5. */
  readonly repeats?: number | undefined;
  /** It is a whole number from 0 to 2^48 - 1; default 2001. */
  readonly seed?: number | undefined;
  /** It is "accuracy" for classes and "r2" for numbers by default, as `score` has it; see `TuneOptions`. */
  readonly measure?: TuneMeasure | undefined;
  /**
   * This column of the table has the weight of each row in the measure, like scikit-learn's sample_weight; it
   * must not be a feature of the model. By default each row weighs 1.
   */
  readonly sampleWeights?: string | undefined;
}

const optionNames: OptionNames<ImportanceOptions> = {
  repeats: 1,
  seed: 1,
  measure: 1,
  sampleWeights: 1,
  ...executeNames,
};

/**
 * Says how important one column is.
 * @example
 * const table = Table.fromColumns({ x: [0, 1, 8, 9], same: [5, 5, 5, 5], y: [0, 1, 8, 9] });
 * const model = await new KNeighborsRegressor({ nNeighbors: 1 }).fit(table, "y");
 * const [x, same]: readonly ColumnImportance[] = (await permutationImportance(model, table, "y")).columns;
 * x.mean > 0.1; // => true
 * [same.mean, same.deviation]; // => [0, 0]
 * model.dispose();
 */
export interface ColumnImportance {
  readonly column: string;
  /** It is the mean of `scores`. */
  readonly mean: number;
  /** It is their deviation with the divisor `repeats`, as numpy's std has it. */
  readonly deviation: number;
  /** The measure got worse by this much in each repeat; negative if it got better. */
  readonly scores: Float64Array;
}

/**
 * `permutationImportance` returns this.
 * @example
 * const table = Table.fromColumns({ x: [0, 1, 8, 9], kind: ["a", "a", "b", "b"] });
 * const model = await new KNeighborsClassifier({ nNeighbors: 1 }).fit(table, "kind");
 * const found: PermutationImportance = await permutationImportance(model, table, "kind");
 * [found.measure, found.baseline, found.rows]; // => ["accuracy", 1, 4]
 * model.dispose();
 */
export interface PermutationImportance {
  readonly measure: TuneMeasure;
  /** It is the measure of the rows as they are. */
  readonly baseline: number;
  /** The features of the model are here, in their order. */
  readonly columns: readonly ColumnImportance[];
  /** This many rows have a label; the others are left out. */
  readonly rows: number;
  readonly repeats: number;
  readonly seed: number;
}

/**
 * Measures how much a fitted model relies on each of its columns. Rows that it was not trained on show what
 * helps it to predict; its own training rows show what it has memorised. Columns with the same information
 * stand in for each other, so that none of them looks important.
 *
 * All columns are shuffled by the same permutations, each made by shuffling the one before
 * (`Collections.shuffle` with java.util.Random), so that a seed gives the same bits on every device. The cost
 * is columns x repeats + 1 searches of all rows.
 * @param model an estimator, or a pipeline with its preparation, that was fitted on a table
 * @param table rows to predict, with the label
 * @example
 * const table = Table.fromColumns({
 *   height: [91, 87, 94, 42, 40, 44],
 *   day: [1, 2, 3, 1, 2, 3],
 *   species: ["thistle", "thistle", "thistle", "poppy", "poppy", "poppy"],
 * });
 * const model = await new KNeighborsClassifier({ nNeighbors: 1 }).fit(table, "species");
 * const { columns } = await permutationImportance(model, table, "species");
 * columns.map(({ column, mean }) => [column, mean > 0.1]); // => [["height", true], ["day", false]]
 * model.dispose();
 * @throws InvalidInputError for a model that was fitted on a matrix, whose columns have no names, for a table
 *   without labels or columns, and for invalid options
 */
export async function permutationImportance(
  model: Estimator | Pipeline,
  table: Table,
  label: string,
  options: ImportanceOptions = {},
): Promise<PermutationImportance> {
  checkOptions(options, "permutationImportance", optionNames);
  const pipeline: Pipeline = predictorOf<Estimator>(model);
  const { signal, onProgress } = options;
  const isClassifier = pipeline.model instanceof KNeighborsClassifier;
  const settings = settingsOf(options, isClassifier);
  const { measure, repeats, seed } = settings;
  if (!(table instanceof Table) || typeof label !== "string")
    throw new InvalidInputError("permutationImportance takes a Table and the name of its label column");
  const features = featuresOf(pipeline);
  const column = table.column(label);
  const labelled = Array.from({ length: table.rows }, (_, row) => row).filter(
    (row) => !isMissing(column, row),
  );
  if (labelled.length === 0)
    throw new InvalidInputError("no row has a label; expected at least one", {
      ...(table.origin && { file: table.origin.file }),
      column: label,
    });
  checkLabelKind(column, isClassifier ? pipeline.model.classes : [0], table.origin);
  const weights = weightsFor(table, label, features, options.sampleWeights);
  const sampleWeights = weights && labelled.map((row) => weights[row]);
  const { columns } = table.take(labelled);
  const total = features.length * repeats + 1;
  let done = 0;
  const score = async (rows: Table) => {
    signal?.throwIfAborted();
    onProgress?.({ phase: "importance", done: done++, total });
    return scoreOf(pipeline, rows, label, { measure, sampleWeights, signal });
  };
  const baseline = await score(new Table(columns));
  const orders = shuffles(labelled.length, settings);
  const found: ColumnImportance[] = [];
  for (const name of features) {
    const scores: number[] = [];
    for (const order of orders) {
      const [shuffled] = new Table(columns).select([name]).take(order).columns;
      scores.push(await score(new Table(columns.map((each) => (each.name === name ? shuffled : each)))));
    }
    found.push(importanceFrom(name, measure, baseline, scores));
  }
  onProgress?.({ phase: "importance", done: total, total });
  return { measure, baseline, columns: found, rows: labelled.length, repeats, seed };
}

export type ImportanceSettings = Required<Pick<PermutationImportance, "measure" | "repeats" | "seed">>;

/** @param without a measure that cannot be had @throws InvalidInputError for values that mean nothing */
export function settingsOf(
  options: ImportanceOptions,
  isClassifier: boolean,
  without?: TuneMeasure,
): ImportanceSettings {
  const { repeats = 5, seed = DEFAULT_SEED, measure = isClassifier ? "accuracy" : "r2" } = options;
  const measures: readonly TuneMeasure[] = tuneMeasures[isClassifier ? "classes" : "numbers"];
  checkOneOf(
    measure,
    measures.filter((each) => each !== without),
    "measure",
  );
  if (!Number.isInteger(repeats) || repeats < 1)
    throw new InvalidInputError(`repeats is ${repeats}; expected a whole number of at least 1`);
  checkSeed(seed);
  return { repeats, seed, measure };
}

/** Returns the orders of so many rows, one a repeat, each of which shuffles the one before. */
export function shuffles(rows: number, { repeats, seed }: ImportanceSettings): Uint32Array[] {
  const random = new SeededRandom(seed);
  const order = Uint32Array.from({ length: rows }, (_, row) => row);
  return Array.from({ length: repeats }, () => {
    random.shuffle(order);
    return order.slice();
  });
}

/** @param scores one a repeat, with the cells of the column shuffled */
export function importanceFrom(
  column: string,
  measure: TuneMeasure,
  baseline: number,
  scores: readonly number[],
): ColumnImportance {
  const lost = Float64Array.from(scores, (score) =>
    isSmallestBest(measure) ? score - baseline : baseline - score,
  );
  const centre = mean(lost);
  const deviation = Math.sqrt(mean(lost.map((each) => (each - centre) ** 2)));
  return { column, mean: centre, deviation, scores: lost };
}

export function featuresOf({ model }: Pipeline): readonly string[] {
  const { trained } = model;
  if ("table" in trained) return trained.features;
  throw new InvalidInputError(
    "the model was fitted on a matrix, whose columns have no names; fit it on a table",
  );
}

/** @throws InvalidInputError for weights that the model compares */
function weightsFor(
  table: Table,
  label: string,
  features: readonly string[],
  name: string | undefined,
): Float64Array | undefined {
  if (name === undefined) return undefined;
  if (features.includes(name))
    throw new InvalidInputError(
      `column ${JSON.stringify(name)} is both the sample weights and a feature of the model; fit the model without it ` +
        "(option features)",
    );
  return weightColumn(table, label, name);
}

interface Scoring {
  readonly measure: TuneMeasure;
  readonly sampleWeights: readonly number[] | undefined;
  readonly signal: AbortSignal | undefined;
}

async function scoreOf(
  pipeline: Pipeline,
  rows: Table,
  label: string,
  { measure, sampleWeights, signal }: Scoring,
): Promise<number> {
  const { model } = pipeline;
  const prepared = pipeline.prepare(rows);
  const column = rows.column(label);
  const truth = Array.from({ length: rows.rows }, (_, row) => cellOf(column, row));
  if (model instanceof KNeighborsClassifier) {
    const isLoss = measure === "logLoss";
    const { labels, probabilities } = await model.classify(prepared, { signal, probabilities: isLoss });
    if (!isLoss) return scoreOfLabels(measure, truth, labels, sampleWeights);
    return classReport(truth, labels, { classes: model.classes, probabilities, sampleWeights }).logLoss;
  }
  return scoreOfLabels(measure, truth, Array.from(await model.predict(prepared, { signal })), sampleWeights);
}

/** Scores predictions by any measure but the log loss, which takes probabilities. */
function scoreOfLabels(
  measure: TuneMeasure,
  truth: readonly (Label | null)[],
  predictions: readonly (Label | null)[],
  sampleWeights?: readonly number[],
): number {
  const options = { sampleWeights };
  if (measure === "accuracy") return classificationPerformance(truth, predictions, options).accuracy;
  if (measure === "balancedAccuracy") return classReport(truth, predictions, options).balancedAccuracy;
  const found = regressionPerformance(truth.map(Number), predictions.map(Number), options);
  return found[measure as "rmse" | "mae" | "r2"];
}
