/**
 * This module goes from a table to the matrix that operators take: the chosen features, in the order given,
 * as float64 rows. A missing cell becomes NaN, a nominal one the code its string has in the training table.
 * Columns that a metric cannot take are refused in featureChecks.ts.
 */
import { InvalidInputError } from "../core/errors.ts";
import { checkOneOf, checkOptions, type OptionNames } from "../core/options.ts";
import { missingPolicies, type ColumnKind, type Matrix, type MissingPolicy } from "../core/matrix.ts";
import { unknownMetric } from "../distance/measures/metricOptions.ts";
import { metricNames, type MetricName } from "../distance/metric.ts";
import { atOnce, type Yielding } from "../core/async/yielding.ts";
import { MISSING_CODE, type Column, type NominalColumn } from "./column.ts";
import { checkFeature, checkSameFeatures, checkSameKind, kindTaken } from "./featureChecks.ts";
import type { Table } from "./table.ts";

/**
 * `encode` takes these options.
 * @example
 * const train = Table.fromColumns({ kind: ["b", "a"] });
 * const options: EncodeOptions = { train, unseen: "missing" };
 * encode(Table.fromColumns({ kind: ["a", "c"] }), ["kind"], options).data; // => [1, NaN]
 */
export interface EncodeOptions {
  /** Errors call the table by this name; default that of its file, or "the table". */
  readonly name?: string | undefined;
  /** For a test table, the name that errors use for the table its features come from. */
  readonly trainedOn?: string | undefined;
  /** Nominal values of a test table get their codes from this table; default its own dictionaries. */
  readonly train?: Table | undefined;
  /** The rows are for this metric; by default whatever the columns allow. */
  readonly metric?: MetricName | undefined;
  /** It is "skip" by default; "error" refuses missing cells. */
  readonly missing?: MissingPolicy | undefined;
  /**
   * The fate of a nominal value that train's dictionary lacks: "distinct" (default) gives it a code of its
   * own, which equals no value of train; "missing" makes it a missing cell, as RapidMiner does.
   */
  readonly unseen?: "distinct" | "missing" | undefined;
}

const optionNames: OptionNames<EncodeOptions> = {
  name: 1,
  trainedOn: 1,
  train: 1,
  metric: 1,
  missing: 1,
  unseen: 1,
};

/**
 * Makes a matrix [rows, features], features innermost, as a copy. Other columns of the table are ignored.
 * @throws InvalidInputError for a feature the table lacks, one of a kind the metric or the training table
 *   does not have, or a missing cell where none may be, with file and line if known.
 * @example
 * const table = Table.fromColumns({ width: [1, 2], kind: ["a", "b"], length: [5, null] });
 * const { data, kinds, gaps } = encode(table, ["length", "width", "kind"]);
 * data; // => [5, 1, 0, NaN, 2, 1]
 * kinds; // => ["numeric", "numeric", "nominal"]
 * gaps; // => true
 */
export function encode(table: Table, features: readonly string[], options: EncodeOptions = {}): Matrix {
  checkOptions(options, "encode", optionNames);
  const { metric, missing, unseen } = options;
  if (metric !== undefined && !metricNames.includes(metric)) throw unknownMetric(metric);
  if (missing !== undefined) checkOneOf(missing, missingPolicies, "policy for missing cells");
  if (unseen !== undefined) checkOneOf(unseen, ["distinct", "missing"], "fate of unseen values");
  return atOnce(encoding(table, features, options));
}

/** Does what `encode` does, as work that may pause. */
export function* encoding(
  table: Table,
  features: readonly string[],
  options: EncodeOptions = {},
): Yielding<Matrix> {
  if (features.length === 0)
    throw new InvalidInputError("no features are chosen; at least one column is needed");
  const { trainedOn, train, unseen = "distinct" } = options;
  if (trainedOn !== undefined) checkSameFeatures(table, features, trainedOn, options.name);
  const { columns } = table.select(features);
  const models = train ? train.select(features).columns : columns;
  const taken = kindTaken(options.metric, models);
  const values: Float64Array[] = [];
  for (const [j, column] of columns.entries()) {
    if (train) checkSameKind(table, column, models[j], options);
    checkFeature(table, column, models[j].kind, taken, options);
    values.push(valuesOf(column, models[j], unseen));
    yield;
  }
  const kinds = models.map(kindOf);
  return {
    data: yield* interleave(values, table.rows),
    rows: table.rows,
    cols: columns.length,
    kinds: kinds.every((kind) => kind === "numeric") ? undefined : kinds,
    gaps: values.some((column) => column.includes(NaN)),
  };
}

function kindOf(column: Column): ColumnKind {
  if (column.kind === "numeric") return "numeric";
  return column.type === "binominal" ? "binominal" : "nominal";
}

/** Returns a column's numbers or codes. A column of gaps alone may be of either kind. */
function valuesOf(column: Column, model: Column, unseen: "distinct" | "missing"): Float64Array {
  if (column.kind === "numeric") return column.values;
  if (model.kind === "numeric") return new Float64Array(column.codes.length).fill(NaN);
  const codes = codesIn(column, model, unseen);
  const values = new Float64Array(column.codes.length);
  for (let row = 0; row < values.length; row++) {
    const code = column.codes[row];
    values[row] = code === MISSING_CODE ? NaN : codes[code];
  }
  return values;
}

/**
 * Returns, by the column's own code, the model's code of the same string; values it lacks are numbered on
 * from its last.
 */
function codesIn(
  { dictionary }: NominalColumn,
  model: NominalColumn,
  unseen: "distinct" | "missing",
): number[] {
  let next = model.dictionary.size;
  return dictionary.values.map(
    (value) => model.dictionary.codeOf(value) ?? (unseen === "missing" ? NaN : next++),
  );
}

/**
 * So many rows are written at a time, so that what is written stays in the cache however many columns there
 * are.
 */
const BLOCK_ROWS = 128;

function* interleave(columns: readonly Float64Array[], rows: number): Yielding<Float64Array> {
  const cols = columns.length;
  const data = new Float64Array(rows * cols);
  for (let begin = 0; begin < rows; begin += BLOCK_ROWS) {
    const end = Math.min(rows, begin + BLOCK_ROWS);
    columns.forEach((values, j) => {
      for (let row = begin; row < end; row++) data[row * cols + j] = values[row];
    });
    yield;
  }
  return data;
}
