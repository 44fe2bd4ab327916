/**
 * This module checks what rare measures ask of the values, and what they must know of the training set. The
 * kinds of columns are not here: ../fit.ts.
 */
import type { Yielding } from "../../../core/async/yielding.ts";
import { InvalidInputError } from "../../../core/errors.ts";
import { cellName, slicesOf, type Matrix } from "../../../core/matrix.ts";
import type { Fitted } from "../contract.ts";
import { isTextbook, rapidMinerMeasure, type RareName } from "../names.ts";
import { checkDivergence } from "./divergences.ts";
import { spreadOf } from "./whitening.ts";

/**
 * Checks the values of a training set, and takes from it what the measure needs; plain data.
 * @throws InvalidInputError for values that the measure is not defined for
 */
export function* fitRare(name: RareName, train: Matrix): Yielding<Pick<Fitted, "inverse" | "whitening">> {
  if (name === "haversine") yield* eachSlice(train, (slice) => checkGlobe(slice, "train"));
  if (isTextbook(name)) return {};
  if (name === "rapidminer:DynamicTimeWarpingDistance") checkWarping(train);
  const of = rapidMinerMeasure(name, false);
  if (of.group !== "BregmanDivergences") return {};
  yield* eachSlice(train, (slice) => checkDivergence(of.measure, slice));
  return of.measure === "MahalanobisDistance" ? yield* spreadOf(train) : {};
}

/** @throws InvalidInputError for values of queries that the measure is not defined for */
export function* checkRareQueries(name: RareName, queries: Matrix): Yielding<void> {
  if (name === "haversine") yield* eachSlice(queries, (slice) => checkGlobe(slice, "queries"));
  if (name === "precomputed") yield* eachSlice(queries, checkNotNegative);
}

function* eachSlice(matrix: Matrix, look: (slice: Matrix) => void): Yielding<void> {
  for (const slice of slicesOf(matrix)) {
    look(slice);
    yield;
  }
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
