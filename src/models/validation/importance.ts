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
import { predictorOf, type Estimator, type Pipeline } from "../pipeline.ts";
import { classReport } from "./classReport.ts";
import { checkSeed, DEFAULT_SEED } from "./partition.ts";
import { classificationPerformance, mean, regressionPerformance } from "./performance.ts";
import { SeededRandom } from "./random.ts";
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
  /** The cells of each column change places this many times; default 5. */
  readonly repeats?: number | undefined;
  /** It is a whole number from 0 to 2^48 - 1; default 2001. */
  readonly seed?: number | undefined;
  /** It is "accuracy" for classes and "r2" for numbers by default, as `score` has it; see `TuneOptions`. */
  readonly measure?: TuneMeasure | undefined;
}

const optionNames: OptionNames<ImportanceOptions> = { repeats: 1, seed: 1, measure: 1, ...executeNames };

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
  /** By this the measure got worse in each repeat; negative where it got better. */
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
 * Measures how much a fitted model relies on each of its columns. Rows that it was not trained on tell what
 * helps it to predict; its own training rows tell what it has learnt by heart. Columns that say the same
 * stand in for each other, so that none of them looks important.
 *
 * All columns change places by the same orders, each of which shuffles the one before (`Collections.shuffle`
 * of java.util.Random), so that a seed gives the same bits on every device. The cost is columns x repeats + 1
 * searches of all rows.
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
 * @throws InvalidInputError for a model of a matrix, whose columns have no names, for a table without labels
 *   or columns, and for options that mean nothing
 */
export async function permutationImportance(
  model: Estimator | Pipeline,
  table: Table,
  label: string,
  options: ImportanceOptions = {},
): Promise<PermutationImportance> {
  checkOptions(options, "permutationImportance", optionNames);
  const pipeline: Pipeline = predictorOf<Estimator>(model);
  const { signal, onProgress, repeats = 5, seed = DEFAULT_SEED } = options;
  const isClassifier = pipeline.model instanceof KNeighborsClassifier;
  const { measure = isClassifier ? "accuracy" : "r2" } = options;
  checkOneOf(measure, tuneMeasures[isClassifier ? "classes" : "numbers"], "measure");
  if (!Number.isInteger(repeats) || repeats < 1)
    throw new InvalidInputError(`repeats is ${repeats}; expected a whole number of at least 1`);
  checkSeed(seed);
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
  const { columns } = table.take(labelled);
  const total = features.length * repeats + 1;
  let done = 0;
  const score = async (rows: Table) => {
    signal?.throwIfAborted();
    onProgress?.({ phase: "importance", done: done++, total });
    return scoreOf(pipeline, rows, label, measure, signal);
  };
  const baseline = await score(new Table(columns));
  const found: ColumnImportance[] = [];
  for (const name of features) {
    const random = new SeededRandom(seed);
    const order = Uint32Array.from(labelled.keys());
    const scores = new Float64Array(repeats);
    for (let repeat = 0; repeat < repeats; repeat++) {
      random.shuffle(order);
      const [shuffled] = new Table(columns).select([name]).take(order).columns;
      const permuted = await score(new Table(columns.map((each) => (each.name === name ? shuffled : each))));
      scores[repeat] = isSmallestBest(measure) ? permuted - baseline : baseline - permuted;
    }
    const centre = mean(scores);
    const deviation = Math.sqrt(mean(scores.map((each) => (each - centre) ** 2)));
    found.push({ column: name, mean: centre, deviation, scores });
  }
  onProgress?.({ phase: "importance", done: total, total });
  return { measure, baseline, columns: found, rows: labelled.length, repeats, seed };
}

function featuresOf({ model }: Pipeline): readonly string[] {
  const { trained } = model;
  if ("table" in trained) return trained.features;
  throw new InvalidInputError(
    "the model was fitted on a matrix, whose columns have no names; fit it on a table",
  );
}

async function scoreOf(
  pipeline: Pipeline,
  rows: Table,
  label: string,
  measure: TuneMeasure,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { model } = pipeline;
  const prepared = pipeline.prepare(rows);
  const column = rows.column(label);
  const truth = Array.from({ length: rows.rows }, (_, row) => cellOf(column, row));
  if (model instanceof KNeighborsClassifier) {
    const isLoss = measure === "logLoss";
    const { labels, probabilities } = await model.classify(prepared, { signal, probabilities: isLoss });
    if (measure === "accuracy") return classificationPerformance(truth, labels).accuracy;
    const given = isLoss ? { classes: model.classes, probabilities } : {};
    return classReport(truth, labels, given)[measure as "balancedAccuracy" | "logLoss"];
  }
  const found = regressionPerformance(truth.map(Number), await model.predict(prepared, { signal }));
  return found[measure as "rmse" | "mae" | "r2"];
}
