/**
 * Prepares measures of performance as data for --json, with classes as texts. performanceText.ts writes them
 * as lines for people.
 */
import { classReport, permutationImportance } from "../node.ts";
import { DEFAULT_SEED } from "../models/validation/index.ts";
import { weightColumn } from "../models/validation/sampleWeights.ts";
import { Table, cellOf, type Column } from "../table/index.ts";
import type {
  ClassAverage,
  ClassReport,
  ClassificationPerformance,
  ClassificationValidation,
  ColumnImportance,
  ImportanceOptions,
  Label,
  PermutationImportance,
  Pipeline,
  RegressionPerformance,
  RegressionValidation,
  Spread,
} from "../node.ts";
import { classText } from "./inputs/labelColumn.ts";
import type { ClassTexts } from "./inputs/labelColumn.ts";

/** A classification has these measures; null where no row has a label, and where they would divide by 0. */
export interface ClassMeasures {
  /** So many rows have a label. */
  readonly labelledRows: number;
  readonly accuracy: number | null;
  readonly kappa: number | null;
  /** It crosses the classes of labels and predictions, as texts; each class has a precision and a recall. */
  readonly confusion: {
    readonly classes: readonly string[];
    /** They are row-major, [true class][predicted class]; null for more than 1000 classes. */
    readonly counts: readonly (readonly number[])[] | null;
    readonly precision: readonly (number | null)[];
    readonly recall: readonly (number | null)[];
  } | null;
  /** These are the measures of scikit-learn, where they were asked for. */
  readonly report?: ReportMeasures;
}

/** These measures of classes follow scikit-learn's definitions; null where they are undefined. */
export interface ReportMeasures {
  readonly balancedAccuracy: number | null;
  readonly auc: number | null;
  readonly logLoss: number | null;
  readonly macro: ClassAverage;
  readonly weighted: ClassAverage;
  readonly classes: readonly ({ readonly class: string; readonly support: number } & ClassAverage)[];
}

export interface NumberMeasures {
  /** So many rows have a label. */
  readonly labelledRows: number;
  readonly rmse: number | null;
  readonly mae: number | null;
  readonly correlation: number | null;
  readonly r2: number | null;
}

export interface ClassPerformance extends ClassMeasures {
  readonly label: string;
  readonly weights: string;
  /** Rows of the test file count with the weights of this column in all measures. */
  readonly sampleWeight?: string;
  /** It has the classes as texts, in class order. */
  readonly classes: readonly string[];
}

export interface NumberPerformance extends NumberMeasures {
  readonly label: string;
  readonly weights: string;
  /** Rows of the test file count with the weights of this column in all measures. */
  readonly sampleWeight?: string;
}

export interface Fold {
  readonly mean: number | null;
  readonly deviation: number | null;
}

export interface CrossValidation {
  readonly folds: number;
  /** It drew the folds, unless groups were dealt by size. */
  readonly seed?: number;
  /** Rows with equal values in this column were in one fold. */
  readonly group?: string;
  /** Rows count with the weights of this column in all measures. */
  readonly sampleWeight?: string;
  /** The predictions were written to this file. */
  readonly output?: string;
  /** So many rows have no label and are left out. */
  readonly unlabelledRows: number;
  /** It has the mean and the sample deviation over the folds, by measure. */
  readonly macro: Readonly<Record<string, Fold>>;
  /** It has the measures over all rows at once. */
  readonly micro: ClassMeasures | NumberMeasures;
}

/** This has the result of `permutationImportance`, without what each repeat gave. */
export type Importance = Omit<PermutationImportance, "columns"> & {
  readonly columns: readonly Omit<ColumnImportance, "scores">[];
  /** Rows count with the weights of this column in the measure. */
  readonly sampleWeight?: string;
};

/** Measures how much each column matters to predictions of a test file. @param truth the label of each row */
export async function importanceOf(
  pipeline: Pipeline,
  test: Table,
  label: string,
  truth: ArrayLike<Label | null>,
  options: ImportanceOptions,
): Promise<Importance> {
  const labelled = test.withColumn(label, Array.from(truth)).columns;
  const rows = new Table(labelled, test.origin);
  return importanceFrom(await permutationImportance(pipeline, rows, label, options), options.sampleWeights);
}

/** @param sampleWeight the column of the weights, if any */
export function importanceFrom(
  { columns, ...found }: PermutationImportance,
  sampleWeight: string | undefined,
): Importance {
  return {
    ...found,
    ...(sampleWeight === undefined ? {} : { sampleWeight }),
    columns: columns.map(({ column, mean, deviation }) => ({ column, mean, deviation })),
  };
}

/** The most classes of a matrix of counts: more would make a line of JSON too long. */
const MATRIX_CLASSES = 1000;

export function classificationOf(
  performance: ClassificationPerformance | undefined,
  texts: ClassTexts,
  report?: ClassReport,
): ClassMeasures {
  if (!performance || performance.rows === 0)
    return { labelledRows: 0, accuracy: null, kappa: null, confusion: null };
  const { rows, accuracy, kappa, precision, recall, confusion } = performance;
  const size = confusion.classes.length;
  return {
    labelledRows: rows,
    accuracy,
    kappa: known(kappa),
    confusion: {
      classes: confusion.classes.map((value) => classText(value, texts)),
      counts:
        size > MATRIX_CLASSES
          ? null
          : confusion.classes.map((_, row) =>
              Array.from(confusion.counts.subarray(row * size, (row + 1) * size)),
            ),
      precision: Array.from(precision, known),
      recall: Array.from(recall, known),
    },
    ...(report === undefined ? {} : { report: reportOf(report, texts) }),
  };
}

/** AUC and log loss are made of at most so many probabilities: each class sorts those of all rows. */
const MOST_PROBABILITIES = 1 << 22;

/** Says whether AUC and log loss take a moment only. */
export function measuresProbabilities(rows: number, classes: number): boolean {
  return rows * classes <= MOST_PROBABILITIES;
}

function reportOf(report: ClassReport, texts: ClassTexts): ReportMeasures {
  const { classes, precision, recall, f1, support, macro, weighted } = report;
  return {
    balancedAccuracy: known(report.balancedAccuracy),
    auc: known(report.auc),
    logLoss: known(report.logLoss),
    macro,
    weighted,
    classes: classes.map((value, c) => ({
      class: classText(value, texts),
      precision: precision[c],
      recall: recall[c],
      f1: f1[c],
      support: support[c],
    })),
  };
}

export function regressionOf(performance: RegressionPerformance | undefined): NumberMeasures {
  const { rows, rmse, mae, correlation, r2 } = performance ?? noRows;
  return {
    labelledRows: rows,
    rmse: known(rmse),
    mae: known(mae),
    correlation: known(correlation),
    r2: known(r2),
  };
}

const noRows = { rows: 0, rmse: NaN, mae: NaN, correlation: NaN, r2: NaN } as const;

/** Folds were drawn so. */
type Drawing = { readonly group?: string; readonly seed?: number; readonly sampleWeight?: string };

export function crossValidationOf(
  validation: Omit<ClassificationValidation, "hints"> | Omit<RegressionValidation, "hints">,
  { group, seed = DEFAULT_SEED, sampleWeight }: Drawing,
  texts: ClassTexts,
  report?: ClassReport,
): CrossValidation {
  const spreads = Object.entries<Spread>(validation.macro);
  return {
    folds: validation.folds.length,
    ...(group === undefined ? { seed } : { group }),
    ...(sampleWeight === undefined ? {} : { sampleWeight }),
    unlabelledRows: validation.unlabelled,
    macro: Object.fromEntries(
      spreads.map(([name, { mean, deviation }]) => [
        name,
        { mean: known(mean), deviation: known(deviation) },
      ]),
    ),
    micro:
      validation.kind === "classification"
        ? classificationOf(validation.micro, texts, report)
        : regressionOf(validation.micro),
  };
}

/** Returns the weights of the rows of a file, 0 without a label; undefined where all rows count alike. */
export function weightsIn(
  table: Table,
  { label, sampleWeight }: { readonly label: string; readonly sampleWeight?: string | undefined },
): Float64Array | undefined {
  if (sampleWeight === undefined || !table.has(label)) return undefined;
  return weightColumn(table, label, sampleWeight).map((weight) => weight || 0);
}

/**
 * Returns a cross-validation with the measures of its classes in full.
 * @param truth the label of each row
 * @param sampleWeights of the rows, 0 for those without a label
 */
export function validationOf(
  found: ClassificationValidation | RegressionValidation,
  truth: readonly (Label | null)[],
  drawing: Drawing,
  texts: ClassTexts,
  sampleWeights?: Float64Array,
): CrossValidation {
  if (found.kind === "regression") return crossValidationOf(found, drawing, texts);
  const { predictions, classes, probabilities } = found;
  const isMeasured = classes && measuresProbabilities(truth.length, classes.length);
  const report = classReport(truth, predictions, {
    ...(isMeasured ? { classes, probabilities } : {}),
    sampleWeights,
  });
  return crossValidationOf(found, drawing, texts, report);
}

export function cellsOf(column: Column, rows: number): (Label | null)[] {
  return Array.from({ length: rows }, (_, row) => cellOf(column, row));
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
