/**
 * This module checks what a metric asks of the data: the kinds of columns it takes, the values it is defined
 * for, and what it must know of the training set. RapidMiner's own error codes are named beside its measures.
 */
import { InvalidInputError, assert } from "../../core/errors.ts";
import {
  cellName,
  checkMatrix,
  isNominal,
  shapeMatrix,
  slicesOf,
  type Matrix,
  type MatrixLike,
} from "../../core/matrix.ts";
import type { Fitted } from "./contract.ts";
import type { Yielding } from "../../core/async/yielding.ts";
import { checkDivergence } from "./divergences.ts";
import { metricNameOf, missingPolicyOf } from "./metricOptions.ts";
import type { MetricOptions } from "./metricOptions.ts";
import { columnsTaken, isTextbook, rapidMinerMeasure } from "./names.ts";
import type { MetricName } from "./names.ts";
import { plural } from "../../core/plural.ts";

/** This is the module whitening.ts. */
export type Spreading = Pick<typeof import("./whitening.ts"), "spreadOf">;

/** Loads what `fitMetric` needs for a metric beyond this module. */
export async function loadSpreading({ metric }: MetricOptions): Promise<Spreading | undefined> {
  return metric === "rapidminer:MahalanobisDistance" ? import("./whitening.ts") : undefined;
}

/**
 * Checks a training set and takes from it what the metric needs; plain data.
 * @throws InvalidInputError for columns or values the metric is not defined for
 */
export function* fitMetric(options: MetricOptions, train: Matrix, spreading?: Spreading): Yielding<Fitted> {
  const { columnWeights } = options;
  const metric = metricNameOf(options, train.kinds);
  checkKinds(metric, train);
  if (columnWeights && columnWeights.length !== train.cols) {
    throw new InvalidInputError(
      `columnWeights has ${plural(columnWeights.length, "weight")}, but train has ${plural(train.cols, "column")}; give one per column`,
    );
  }
  if (metric === "haversine") yield* eachSlice(train, (slice) => checkGlobe(slice, "train"));
  if (metric === "rapidminer:DynamicTimeWarpingDistance") checkWarping(train);
  const { kinds, gaps } = train;
  const of = isTextbook(metric) ? undefined : rapidMinerMeasure(metric, false);
  if (of?.group !== "BregmanDivergences") return { kinds, gaps };
  yield* eachSlice(train, (slice) => checkDivergence(of.measure, slice));
  if (of.measure !== "MahalanobisDistance") return { kinds, gaps };
  assert(spreading, "nobody loaded whitening.ts");
  return { kinds, gaps, ...(yield* spreading.spreadOf(train)) };
}

/**
 * Time warping takes at most so many columns: the table of a pair of rows then takes half a gibibyte, and a
 * second or two.
 */
const MOST_WARPED_COLUMNS = 8192;

function checkWarping({ cols }: Matrix): void {
  if (cols <= MOST_WARPED_COLUMNS) return;
  throw new InvalidInputError(
    `DynamicTimeWarpingDistance holds every column of a row against every column of another, and train has ${cols} ` +
      `columns; expected at most ${MOST_WARPED_COLUMNS}: choose fewer, or average neighbouring ones`,
  );
}

function* eachSlice(matrix: Matrix, look: (slice: Matrix) => void): Yielding<void> {
  for (const slice of slicesOf(matrix)) {
    look(slice);
    yield;
  }
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
  assumes?: (shaped: Matrix) => boolean,
): Yielding<Matrix> {
  const { metric } = options;
  const shaped = yield* shapeMatrix(given, "queries");
  const isPrecomputed = metric === "precomputed";
  if (isPrecomputed) checkPrecomputed(train, shaped);
  checkColumns(isPrecomputed ? { cols: shaped.cols, kinds: undefined } : train, shaped, "queries");
  const matrix = { ...shaped, kinds: train.kinds };
  if (assumes?.(matrix)) return { ...matrix, gaps: false };
  const queries = yield* checkMatrix(matrix, "queries", missingPolicyOf(options));
  if (metric === "haversine") yield* eachSlice(queries, (slice) => checkGlobe(slice, "queries"));
  if (isPrecomputed) yield* eachSlice(queries, checkNotNegative);
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

/**
 * Checks coordinates. Latitudes end at a quarter turn; longitudes are at most one turn, whichever way they
 * are counted.
 */
function checkGlobe({ data, cols, firstRow = 0 }: Matrix, name: string): void {
  if (cols !== 2) {
    throw new InvalidInputError(
      `haversine takes two columns, latitude and longitude, but ${name} has ${cols}; choose those two`,
    );
  }
  for (let at = 0; at < data.length; at++) {
    const limit = at % 2 === 0 ? Math.PI / 2 : 2 * Math.PI;
    if (!(Math.abs(data[at]) > limit)) continue;
    throw new InvalidInputError(
      `${name} row ${firstRow + Math.floor(at / 2)} has the ${at % 2 === 0 ? "latitude" : "longitude"} ${data[at]}, beyond ` +
        `${at % 2 === 0 ? "pi/2" : "2 pi"}; haversine takes radians in the order latitude, longitude: multiply degrees ` +
        `by pi/180`,
    );
  }
}

function checkNotNegative(queries: Matrix): void {
  const { data } = queries;
  const at = data.findIndex((value: number) => value < 0);
  if (at < 0) return;
  throw new InvalidInputError(
    `${cellName(queries, "queries", at)} is ${data[at]}; a precomputed distance is at least 0`,
  );
}
