/** Predicts the rows of a test file: the columns to add, and how they compare with the labels of the file. */
import { writeCsv, writeTable } from "../../io/index.ts";
import type { CsvCell, CsvWriteOptions, Format } from "../../io/index.ts";
import {
  InvalidInputError,
  KNeighborsClassifier,
  classReport,
  classificationPerformance,
  regressionPerformance,
} from "../../node.ts";
import type {
  Classification as ModelClassification,
  Estimator,
  KNeighborsRegressor,
  KneighborsCallOptions,
  KnnResult,
  Label,
  Pipeline,
} from "../../node.ts";
import { Table } from "../../table/index.ts";
import { cellsOfRows, nameOf } from "../inputs/tables.ts";
import { classText, trueClasses, trueNumbers } from "../inputs/labelColumn.ts";
import type { ClassTexts } from "../inputs/labelColumn.ts";
import { classificationOf, measuresProbabilities, regressionOf, weightsIn } from "../performance.ts";
import type { ClassPerformance, NumberPerformance } from "../performance.ts";
import { confidencesFor, type Confidences } from "../options/confidence.ts";
import { checkProbabilities } from "../../models/tally.ts";

export interface Result {
  /** It names the columns of the file and the added ones. */
  readonly header: readonly string[];
  readonly rows: () => Generator<CsvCell[]>;
  /** Returns the same columns as a table of numbers and texts. */
  readonly table: () => Table;
  readonly explanation: KnnResult["explanation"];
  readonly classification?: ClassPerformance;
  readonly regression?: NumberPerformance;
  readonly judged: Judgement;
}

/** A judgement has predictions and the neighbours that they come from, one per row. */
export interface Judgement {
  /** It is absent where nobody asked for neighbours. */
  readonly neighbors: Pick<KnnResult, "indices" | "distances" | "k"> | undefined;
  readonly predicted: ArrayLike<Label | null>;
  /** It is undefined where the file has no label. */
  readonly truth: ArrayLike<Label | null> | undefined;
}

/**
 * Returns a result as the pieces of a file: CSV keeps the texts of the test file and of the training labels,
 * other formats keep their values.
 */
export function resultPieces({ header, rows, table }: Result, { name }: Format, csv: CsvWriteOptions) {
  return name === "csv" ? writeCsv(header, rows(), csv) : writeTable(name, table());
}

/** The label has this name, and its classes are written in this way. */
export interface LabelFacts {
  readonly label: string;
  readonly texts: ClassTexts;
  /** These are written; default all of up to MANY_CLASSES, of more the one of the prediction. */
  readonly confidences: Confidences | undefined;
  /** The user set a budget of so many bytes of main memory, or none. */
  readonly memory: number | undefined;
  /** Rows of the test file count with the weights of this column in measures. */
  readonly sampleWeight?: string | undefined;
}

/**
 * Predicts the rows of a test file.
 * @throws InvalidInputError when the file has a column that the result needs, or labels of another kind, or
 *   when its confidences are more than the machine has memory for
 */
export function predictRows(
  pipeline: Pipeline,
  test: Table,
  facts: LabelFacts,
  options: KneighborsCallOptions,
): Promise<Result> {
  const { model } = pipeline;
  const rows = pipeline.prepare(test);
  return model instanceof KNeighborsClassifier
    ? classifyRows(model, test, rows, facts, options)
    : regressRows(model, test, rows, facts, options);
}

async function classifyRows(
  model: KNeighborsClassifier,
  test: Table,
  rows: Table,
  { label, texts, confidences, memory, sampleWeight }: LabelFacts,
  options: KneighborsCallOptions,
): Promise<Result> {
  const { classes } = model;
  const wanted = confidencesFor(classes.length, confidences);
  if (wanted === "all")
    checkProbabilities(rows.rows, classes.length, { memory, remedy: "write fewer (--confidence top)" });
  const names = classes.map((value) => classText(value, texts));
  const prediction = `prediction(${label})`;
  const shareNames = confidenceNames(wanted, names);
  const header = resultHeader(test, [prediction, ...shareNames]);
  const truth = trueClasses(test, label, classes);
  const sampleWeights = weightsIn(test, { label, sampleWeight });
  // AUC and log loss need the probabilities of all classes.
  const isMeasured =
    wanted === "top" && truth !== undefined && measuresProbabilities(rows.rows, classes.length);
  const isFull = wanted === "all" || isMeasured;
  const { labels, probabilities, neighbors } = await model.classify(rows, {
    ...options,
    probabilities: isFull || (wanted === "top" && "top"),
  });
  const shares = wanted === "top" && isFull ? topsOf(probabilities, classes.length) : probabilities;
  const shareOf = (row: number, at: number) => shares[row * shareNames.length + at];
  const added = (row: number): CsvCell[] => {
    const predicted = labels[row];
    return [
      predicted === null ? null : classText(predicted, texts),
      ...shareNames.map((_, at) => known(shareOf(row, at))),
    ];
  };
  return {
    header,
    rows: () => resultRows(test, added),
    table: () =>
      resultTable(test, {
        [prediction]: labels,
        ...Object.fromEntries(
          shareNames.map((name, at) => [name, Float64Array.from(labels, (_, row) => shareOf(row, at))]),
        ),
      }),
    explanation: neighbors.explanation,
    classification: {
      label,
      weights: weightsOf(model),
      ...(sampleWeights && sampleWeight !== undefined ? { sampleWeight } : {}),
      classes: names,
      ...(truth
        ? measuresOf(
            truth,
            { labels, probabilities: isFull ? probabilities : [], classes },
            { texts, sampleWeights },
          )
        : classificationOf(undefined, texts)),
    },
    judged: { neighbors, predicted: labels, truth },
  };
}

/** Returns the largest of each row, which its prediction has; NaN where all are. */
export function topsOf(probabilities: Float64Array, classes: number): Float64Array {
  return Float64Array.from({ length: probabilities.length / classes }, (_, row) =>
    probabilities
      .subarray(row * classes, (row + 1) * classes)
      .reduce((most, each) => (most >= each ? most : each)),
  );
}

/** @param predicted with probabilities, or none where they were not asked for */
function measuresOf(
  truth: readonly (Label | null)[],
  {
    labels,
    probabilities,
    classes,
  }: Pick<ModelClassification, "labels"> & {
    probabilities: ArrayLike<number>;
    classes: readonly Label[];
  },
  { texts, sampleWeights }: { texts: ClassTexts; sampleWeights: Float64Array | undefined },
) {
  const isMeasured = probabilities.length > 0 && measuresProbabilities(labels.length, classes.length);
  const report = classReport(truth, labels, {
    ...(isMeasured ? { classes, probabilities } : {}),
    sampleWeights,
  });
  return classificationOf(classificationPerformance(truth, labels, { sampleWeights }), texts, report);
}

async function regressRows(
  model: KNeighborsRegressor,
  test: Table,
  rows: Table,
  { label, sampleWeight }: LabelFacts,
  options: KneighborsCallOptions,
): Promise<Result> {
  const prediction = `prediction(${label})`;
  const header = resultHeader(test, [prediction]);
  const truth = trueNumbers(test, label);
  const sampleWeights = weightsIn(test, { label, sampleWeight });
  const { compat } = model.options;
  const { predictions, neighbors } = await model.regress(rows, options);
  return {
    header,
    rows: () => resultRows(test, (row) => [known(predictions[row])]),
    table: () => resultTable(test, { [prediction]: predictions }),
    explanation: neighbors.explanation,
    regression: {
      label,
      weights: weightsOf(model),
      ...(sampleWeights && sampleWeight !== undefined ? { sampleWeight } : {}),
      ...regressionOf(truth && regressionPerformance(truth, predictions, { compat, sampleWeights })),
    },
    judged: { neighbors, predicted: predictions, truth },
  };
}

function weightsOf({ options }: Estimator): string {
  return options.weights ?? "uniform";
}

/** Makes a cell of a value; NaN is a missing cell, as RapidMiner writes it. */
function known(value: number): CsvCell {
  return Number.isNaN(value) ? null : value;
}

/** Returns the names of the columns of confidences. @param classes as texts */
export function confidenceNames(wanted: Confidences, classes: readonly string[]): readonly string[] {
  return wanted === "all"
    ? classes.map((name) => `confidence(${name})`)
    : wanted === "top"
      ? ["confidence"]
      : [];
}

/** @throws InvalidInputError where the table has a column that is to be added. @param adds what adds them */
export function resultHeader(test: Table, added: readonly string[], adds = "the result"): string[] {
  const taken = added.find((name) => test.has(name));
  if (taken !== undefined) {
    throw new InvalidInputError(`${adds} adds a column of this name; rename it in the file or remove it`, {
      file: nameOf(test),
      ...(test.origin?.textOf ? { line: 1 } : {}),
      column: taken,
    });
  }
  return [...test.names, ...added];
}

function resultTable(test: Table, added: Parameters<typeof Table.fromColumns>[0]): Table {
  return new Table([...test.columns, ...Table.fromColumns(added).columns]);
}

/** Writes the cells of the file as they are, and the added ones. */
function* resultRows(test: Table, added: (row: number) => CsvCell[]): Generator<CsvCell[]> {
  const cells = cellsOfRows(test);
  for (let row = 0; row < test.rows; row++) yield [...cells(row), ...added(row)];
}
