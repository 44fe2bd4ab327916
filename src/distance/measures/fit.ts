/**
 * This module checks what a metric asks of the data: the kinds of columns it takes, the values it is defined
 * for, and what it must know of the training set. RapidMiner's own error codes are named beside its measures.
 */
import { InvalidInputError, assert } from "../../core/errors.ts";
import { checkMatrix, isNominal, shapeMatrix, type Matrix, type MatrixLike } from "../../core/matrix.ts";
import type { Fitted } from "./contract.ts";
import type { Yielding } from "../../core/async/yielding.ts";
import { metricNameOf, missingPolicyOf } from "./metricOptions.ts";
import type { MetricOptions } from "./metricOptions.ts";
import { columnsTaken, isTextbook, isUsual } from "./names.ts";
import type { MetricName } from "./names.ts";
import { plural } from "../../core/plural.ts";

/** This is the module rare/index.ts. */
export type RareMeasures = typeof import("./rare/index.ts");

/** Loads what a metric needs beyond the usual ones; undefined where it is one of these. */
export async function loadRare({ metric = "euclidean" }: MetricOptions): Promise<RareMeasures | undefined> {
  return isUsual(metric) ? undefined : import("./rare/index.ts");
}

/**
 * Checks a training set and takes from it what the metric needs; plain data.
 * @throws InvalidInputError for columns or values the metric is not defined for
 */
export function* fitMetric(options: MetricOptions, train: Matrix, rare?: RareMeasures): Yielding<Fitted> {
  const { columnWeights } = options;
  const metric = metricNameOf(options, train.kinds);
  checkKinds(metric, train);
  if (columnWeights && columnWeights.length !== train.cols) {
    throw new InvalidInputError(
      `columnWeights has ${plural(columnWeights.length, "weight")}, but train has ${plural(train.cols, "column")}; give one per column`,
    );
  }
  const { kinds, gaps } = train;
  if (isUsual(metric)) return { kinds, gaps };
  assert(rare, "nobody loaded measures/rare/");
  return { kinds, gaps, ...(yield* rare.fitRare(metric, train)) };
}

/**
 * Returns queries in our form, their columns read as those of train: what is a code there is one here,
 * whether or not train has it.
 * @param assumes tells whether values are looked at later; default now
 * @throws InvalidInputError for columns that are not those of train, or values that they or the metric cannot
 *   take
 */
export function* queriesFor(
  options: MetricOptions,
  train: Matrix,
  given: MatrixLike,
  rare: RareMeasures | undefined,
  assumes?: (shaped: Matrix) => boolean,
): Yielding<Matrix> {
  const { metric = "euclidean" } = options;
  const shaped = yield* shapeMatrix(given, "queries");
  const isPrecomputed = metric === "precomputed";
  if (isPrecomputed) checkPrecomputed(train, shaped);
  checkColumns(isPrecomputed ? { cols: shaped.cols, kinds: undefined } : train, shaped, "queries");
  const matrix = { ...shaped, kinds: train.kinds };
  if (assumes?.(matrix)) return { ...matrix, gaps: false };
  const queries = yield* checkMatrix(matrix, "queries", missingPolicyOf(options));
  if (rare && !isUsual(metric)) yield* rare.checkRareQueries(metric, queries);
  return queries;
}

function checkPrecomputed({ rows }: Matrix, { cols }: Matrix): void {
  if (cols === rows) return;
  throw new InvalidInputError(
    `queries have ${plural(cols, "column")}, but train has ${plural(rows, "row")}; a precomputed matrix has a distance for each of them`,
  );
}

/**
 * Checks that rows have the columns of train. Rows that name no kinds have those of train.
 * @throws InvalidInputError for other columns
 */
export function checkColumns(
  train: Pick<Matrix, "cols" | "kinds">,
  { cols, kinds }: Matrix,
  name: string,
): void {
  if (cols !== train.cols)
    throw new InvalidInputError(
      `${name} have ${plural(cols, "column")}, but train has ${train.cols}; both need the same columns in the same order`,
    );
  const other = kinds?.findIndex((_, j) => isNominal(kinds, j) !== isNominal(train.kinds, j)) ?? -1;
  if (other < 0) return;
  throw new InvalidInputError(
    `column ${other} of ${name} is ${kinds?.[other]}, but ${train.kinds?.[other] ?? "numeric"} in train ` +
      `(RapidMiner's error 965); read it the same way in both`,
  );
}

function checkKinds(metric: MetricName, { kinds, cols }: Matrix): void {
  const taken = columnsTaken(metric);
  if (taken === "any") return;
  const isNumeric = (j: number) => kinds === undefined || kinds[j] === "numeric";
  const expected = taken === "either" ? (isNumeric(0) ? "numeric" : "nominal") : taken;
  for (let j = 0; j < cols; j++) {
    if (isNumeric(j) === (expected === "numeric")) continue;
    const code = taken === "either" ? 501 : expected === "numeric" ? 104 : 103;
    const note = isTextbook(metric) ? "" : ` (RapidMiner's error ${code})`;
    const mixed = isTextbook(metric) ? "mixed_euclidean" : "rapidminer:MixedEuclideanDistance";
    throw new InvalidInputError(
      `${metric} takes ${taken === "either" ? "columns of one kind" : `${expected} columns`} only, but column ${j} of ` +
        `train is ${isNumeric(j) ? "numeric" : "nominal"}${note}; leave it out, or use ${mixed}`,
    );
  }
}
