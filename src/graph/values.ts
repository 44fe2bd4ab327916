/**
 * These values travel along the wires of a process. They are never changed: an operator makes new ones, so
 * that results can be kept and shared.
 */
import type { Matrix } from "../core/matrix.ts";
import type { Samples } from "../ops/convolve/index.ts";
import type { HistogramResult } from "../ops/histogram/index.ts";
import type { KnnResult } from "../ops/knn/index.ts";
import type {
  ClassificationPerformance,
  ClassificationValidation,
  RegressionPerformance,
  RegressionValidation,
} from "../models/validation/index.ts";
import type { ClassifierOptions } from "../models/classifier.ts";
import type { NormalizeOptions, Preparation, ReplaceMissingOptions } from "../models/preparation/index.ts";
import type { Pipeline } from "../models/pipeline.ts";
import type { Wav } from "../io/index.ts";
import { Table } from "../table/index.ts";

/**
 * A column that is not a feature has a role: "label" is what is predicted, "ignored" is carried along.
 * @example
 * const role: ColumnRole = "label";
 * const table = Table.fromColumns({ x: [1], kind: ["a"] });
 * const value: TableValue = { table, roles: new Map([["kind", role]]) };
 * value.roles.get("kind"); // => "label"
 */
export type ColumnRole = "label" | "ignored" | "prediction" | "confidence";

/**
 * A table's columns have roles; those without one are features.
 * @example
 * const table = Table.fromColumns({ x: [1, 2], id: [7, 8] });
 * const value: TableValue = { table, roles: new Map([["id", "ignored"]]) };
 * value.table.rows; // => 2
 */
export interface TableValue {
  readonly table: Table;
  readonly roles: ReadonlyMap<string, ColumnRole>;
}

/**
 * This step of preparation has learnt nothing yet.
 * @example
 * const step: StepSpec = { step: "normalize", options: { method: "range" } };
 * const learner: LearnerValue = { steps: [step], estimator: undefined };
 * learner.steps.length; // => 1
 */
export type StepSpec =
  | { readonly step: "normalize"; readonly options: NormalizeOptions }
  | { readonly step: "replaceMissing"; readonly options: ReplaceMissingOptions };

/**
 * This estimator has not been trained; "auto" classifies by a nominal label and regresses by a numeric one.
 * @example
 * const estimator: EstimatorSpec = { task: "classify", options: { nNeighbors: 3 } };
 * const learner: LearnerValue = { steps: [], estimator };
 * learner.estimator?.task; // => "classify"
 */
export interface EstimatorSpec {
  readonly task: "auto" | "classify" | "regress";
  readonly options: Pick<
    ClassifierOptions,
    "nNeighbors" | "metric" | "p" | "kernel" | "weights" | "compat" | "precision"
  >;
}

/**
 * It is a chain of preparation and estimator as plain data, to be trained as often as folds need it.
 * @example
 * const learner: LearnerValue = {
 *   steps: [{ step: "normalize", options: {} }],
 *   estimator: { task: "auto", options: { nNeighbors: 5 } },
 * };
 * learner.steps[0].step; // => "normalize"
 */
export interface LearnerValue {
  readonly steps: readonly StepSpec[];
  /** It is undefined if the chain is preparation alone. */
  readonly estimator: EstimatorSpec | undefined;
}

/**
 * A trained chain is preparation alone, or preparation followed by an estimator.
 * @example
 * const step = new Normalize().fit(Table.fromColumns({ x: [0, 2] }));
 * const model: ModelValue = { kind: "preparation", steps: [step] };
 * model.kind; // => "preparation"
 */
export type ModelValue =
  | { readonly kind: "preparation"; readonly steps: readonly Preparation[] }
  | { readonly kind: "estimator"; readonly pipeline: Pipeline; readonly label: string };

/**
 * Each query has its nearest training rows.
 * @example
 * const train = { rows: 3, file: undefined };
 * const result = await kneighbors([[0], [5], [9]], [[4]], { k: 2 });
 * const neighbours: NeighboursValue = { result };
 * neighbours.result.indices; // => [1, 0]
 */
export interface NeighboursValue {
  readonly result: KnnResult;
}

/**
 * It has measures of predictions: of one table, or over the folds of a cross-validation.
 * @example
 * const measures = classificationPerformance(["a", "b"], ["a", "a"]);
 * const performance: PerformanceValue = { kind: "classification", label: "kind", measures };
 * performance.kind; // => "classification"
 */
export type PerformanceValue =
  | {
      readonly kind: "classification";
      readonly label: string;
      readonly measures: ClassificationPerformance;
    }
  | { readonly kind: "regression"; readonly label: string; readonly measures: RegressionPerformance }
  | {
      readonly kind: "validation";
      readonly label: string;
      readonly seed: number;
      readonly measures: Omit<ClassificationValidation, "hints"> | Omit<RegressionValidation, "hints">;
    };

/**
 * It has rows of numbers of one type, without names.
 * @example
 * const value: MatrixValue = { matrix: { data: Float32Array.of(1, 2, 3, 4), rows: 2, cols: 2 } };
 * value.matrix.rows; // => 2
 */
export interface MatrixValue {
  readonly matrix: Matrix;
}

/**
 * It has points of one to three columns, with what else is known of each.
 * @example
 * const points = { data: Float64Array.of(0, 0, 3, 4), rows: 2, cols: 2 };
 * const attributes = Table.fromColumns({ tree: ["oak", "ash"] });
 * const value: PointCloudValue = { points, names: ["x", "y"], attributes };
 * value.attributes?.rows; // => 2
 */
export interface PointCloudValue {
  readonly points: Matrix;
  /** The columns of points have these names. */
  readonly names: readonly string[];
  /** These other columns of the same rows are not compared; undefined if there are none. */
  readonly attributes: Table | undefined;
}

/**
 * It has counts by bins, of one row or of many.
 * @example
 * const value: HistogramValue = { histogram: await histogram(Uint32Array.of(1, 2, 2), { bins: 2 }) };
 * value.histogram.counts; // => [1, 2]
 */
export interface HistogramValue {
  readonly histogram: HistogramResult;
}

/**
 * Signals are equally long, one after the other, in the form that their file had.
 * @example
 * const value: SignalValue = { samples: Int32Array.of(1, 2, 3, 4), rows: 2, by: "rows" };
 * value.samples.length / value.rows; // => 2
 */
export interface SignalValue {
  /** They are [rows][samples]. */
  readonly samples: Samples;
  readonly rows: number;
  /** The file had signals as its rows, or as its columns, as sounds and tables do. */
  readonly by: "rows" | "columns";
  /** It names the column, where it is one of a table. */
  readonly column?: string;
  /**
   * A matrix in a file has these axes; samples run along the last one, or along the first if there is a
   * single column.
   */
  readonly shape?: readonly number[];
  /** A sound has this rate and form. */
  readonly sound?: Pick<Wav, "rate" | "form">;
}

/**
 * Each type of port has its values.
 * @example
 * const value: PortValues["Learner"] = { steps: [], estimator: undefined };
 * value.steps; // => []
 */
export interface PortValues {
  readonly Table: TableValue;
  readonly Learner: LearnerValue;
  readonly Model: ModelValue;
  readonly Neighbours: NeighboursValue;
  readonly Performance: PerformanceValue;
  readonly Matrix: MatrixValue;
  readonly PointCloud: PointCloudValue;
  readonly Histogram: HistogramValue;
  readonly Signal: SignalValue;
}

/**
 * A type of port has this name.
 * @example
 * const types: PortType[] = ["Table", "Model"];
 * operators.find(({ id }) => id === "applyModel")?.inputs.map(({ types }) => types[0]).sort(); // => ["Model", "Table"]
 */
export type PortType = keyof PortValues;

/** Returns a table of these columns, none of which has a role. */
export function plainTable(columns: Parameters<typeof Table.fromColumns>[0]): TableValue {
  return { table: Table.fromColumns(columns), roles: new Map() };
}

/** Returns the edges of the bins of a row. */
export function edgesOf({ edges, bins }: HistogramResult, row: number): Float64Array {
  const begin = edges.length > bins + 1 ? row * (bins + 1) : 0;
  return edges.subarray(begin, begin + bins + 1);
}

/** Returns the column of that role, where there is one. */
export function columnOf(roles: ReadonlyMap<string, ColumnRole>, role: ColumnRole): string | undefined {
  return [...roles].find(([, each]) => each === role)?.[0];
}

/** Frees the memory of a device that a value holds. */
export function disposeValue(value: PortValues[PortType]): void {
  if ("pipeline" in value) value.pipeline.dispose();
}
