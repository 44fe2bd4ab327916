/**
 * This does what every k-NN operator does with its arguments and its results: it checks k, radius and `out`,
 * and cuts lists at a radius. The search is in run.ts, the checks of matrices are in core/matrix.ts.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { NO_ROW } from "../../distance/order.ts";
import type { Metric } from "../../distance/metric.ts";
import type { Neighbors } from "./refine.ts";
import { plural } from "../../core/plural.ts";

/**
 * This value, 0xFFFFFFFF, fills `indices` where fewer than k neighbours exist.
 * @example
 * const { indices, counts } = await kneighbors([[0], [5], [9]], [[4]], { k: 2, radius: 2 });
 * indices; // => [1, NO_NEIGHBOR]
 * counts; // => [1]
 */
export const NO_NEIGHBOR = NO_ROW;

/**
 * Checks that k is a whole number from 1 to the rows that may be neighbours.
 * @throws InvalidInputError
 */
export function checkK(k: number, rows: number, excludeSelf = false): void {
  if (!Number.isInteger(k) || k < 1) {
    const given = typeof k === "string" ? JSON.stringify(k) : k;
    throw new InvalidInputError(`k is ${given}; expected a whole number of at least 1`);
  }
  if (excludeSelf && k > rows - 1) {
    throw new InvalidInputError(
      `k is ${k}, but each row of train has only ${plural(rows - 1, "other")}; choose k of at most ${rows - 1}`,
    );
  }
  if (k > rows) {
    throw new InvalidInputError(
      `k is ${k}, but train has only ${plural(rows, "row")}; choose k of at most ${rows}`,
    );
  }
}

/**
 * Checks a radius.
 * @throws InvalidInputError for a radius that can only be a mistake: NaN, or below 0 for a metric that never
 *   is
 */
export function checkRadius(radius: number, { signed }: Pick<Metric, "signed">): void {
  if (typeof radius === "number" && (radius >= 0 || (signed && !Number.isNaN(radius)))) return;
  throw new InvalidInputError(
    `radius is ${String(radius)}; expected a number${signed ? "" : " of at least 0"}`,
  );
}

/** Empties the places beyond the radius. @returns how many neighbours are left of each query */
export function cutAtRadius(
  indices: Uint32Array,
  distances: Float64Array,
  queries: number,
  k: number,
  radius: number,
): Uint32Array {
  return Uint32Array.from({ length: queries }, (_, query) => {
    const end = (query + 1) * k;
    let at = query * k;
    while (at < end && distances[at] <= radius) at++;
    indices.fill(NO_NEIGHBOR, at, end);
    distances.fill(Infinity, at, end);
    return at - query * k;
  });
}

const MAX_RESULT = 2 ** 32 - 1;

interface OutArrays {
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
}

/**
 * Returns the arrays that the result goes into: `out`, or new ones.
 * @throws InvalidInputError when it does not fit
 */
export function neighborsInto(queries: number, k: number, out: OutArrays | undefined): Neighbors {
  const length = queries * k;
  if (length > MAX_RESULT) {
    throw new InvalidInputError(
      `${queries} queries x ${k} neighbours are more than ${MAX_RESULT} results; search the queries in several calls`,
    );
  }
  if (!out) return { k, indices: new Uint32Array(length), distances: new Float64Array(length) };
  if (!(out.indices instanceof Uint32Array && out.distances instanceof Float64Array)) {
    throw new InvalidInputError("out needs a Uint32Array for indices and a Float64Array for distances");
  }
  if (out.indices.length < length || out.distances.length < length) {
    throw new InvalidInputError(
      `out holds ${plural(out.indices.length, "index", "indices")} and ${plural(out.distances.length, "distance")}, but ${length} are needed`,
    );
  }
  return { k, indices: out.indices, distances: out.distances };
}
