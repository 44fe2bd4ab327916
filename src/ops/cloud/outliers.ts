/** Leaves out points that lie far from their neighbours, by the statistics of all of them. */
import { runYielding, type Yielding } from "../../core/async/yielding.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { takeRows, type Matrix, type MatrixLike } from "../../core/matrix.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { meanOf } from "./spacing.ts";
import { cloudOptionNames, pointMatrix, withCloud, type CloudOptions } from "./withCloud.ts";

/**
 * `removeOutlierPoints` takes these options.
 * @example
 * const options: OutlierPointsOptions = { k: 1, deviations: 1 };
 * (await removeOutlierPoints([[0], [1], [2], [3], [9]], options)).kept; // => [0, 1, 2, 3]
 */
export interface OutlierPointsOptions extends CloudOptions {
  /** A point has this many neighbours, 1 to the number of other points; default 8, as in PDAL. */
  readonly k?: number | undefined;
  /**
   * The mean distance to the neighbours may exceed the mean of all points by this many standard deviations;
   * default 2, as in PDAL. A negative number also leaves out points below that mean.
   */
  readonly deviations?: number | undefined;
}

const outlierNames: OptionNames<OutlierPointsOptions> = { k: 1, deviations: 1, ...cloudOptionNames };

/**
 * `removeOutlierPoints` returns this.
 * @example
 * const points = [[0], [1], [2], [3], [9]];
 * const result: OutlierPointsResult = await removeOutlierPoints(points, { k: 1, deviations: 1 });
 * const { distances, mean, threshold } = result;
 * distances; // => [1, 1, 1, 1, 6]
 * [mean, threshold]; // => [2, 2 + Math.sqrt(5)]
 */
export interface OutlierPointsResult {
  /** These points were kept, in their order. */
  readonly points: Matrix;
  /** These rows, ascending, have the points that were kept. */
  readonly kept: Uint32Array;
  /** Each point has this mean distance to its neighbours. */
  readonly distances: Float64Array;
  /** It is the mean of `distances`. */
  readonly mean: number;
  /** It is the standard deviation of `distances` (divisor: points - 1). */
  readonly deviation: number;
  /** A point is kept up to this distance: mean + deviations * deviation. */
  readonly threshold: number;
}

/**
 * Keeps the points whose mean distance to their k nearest neighbours is at most the mean of all those
 * distances plus `deviations` times their standard deviation: statistical outlier removal (R. B. Rusu et al.,
 * Towards 3D Point Cloud Based Object Maps for Household Environments, 2008), as in PCL's
 * `StatisticalOutlierRemoval`. A point is not its own neighbour. Distances are those of float64, and are
 * added up in the order of the neighbours and of the points, so that every device keeps the same points.
 *
 * @param points [points, 1 to 3], more than k
 * @throws InvalidInputError for points or options that cannot be used
 * @example
 * const grid = Array.from({ length: 25 }, (_, i) => [i % 5, Math.floor(i / 5)]);
 * const { kept } = await removeOutlierPoints([...grid, [20, 20]], { k: 4 });
 * kept.length; // => 25
 */
export async function removeOutlierPoints(
  points: MatrixLike,
  options: OutlierPointsOptions = {},
): Promise<OutlierPointsResult> {
  checkOptions(options, "removeOutlierPoints", outlierNames);
  const { k = 8, deviations = 2, signal } = options;
  if (!Number.isFinite(deviations)) {
    throw new InvalidInputError(`deviations is ${String(deviations)}; expected a finite number`);
  }
  const matrix = await pointMatrix(points, "points", signal);
  const found = await withCloud(matrix, options, (cloud) =>
    cloud.nearest(matrix, { k, excludeSelf: true, signal }),
  );
  const distances = await runYielding(meansOf(found.distances, k), signal);
  const mean = meanOf(distances);
  const squares = distances.reduce((sum, each) => sum + (each - mean) * (each - mean), 0);
  // One point alone has no neighbour, so there are two at least.
  const deviation = Math.sqrt(squares / (distances.length - 1));
  const threshold = mean + deviations * deviation;
  const kept = Uint32Array.from(distances.keys()).filter((row) => !(distances[row] > threshold));
  return { points: takeRows(matrix, kept), kept, distances, mean, deviation, threshold };
}

const PIECE_POINTS = 4096;

function* meansOf(distances: Float64Array, k: number): Yielding<Float64Array> {
  const means = new Float64Array(distances.length / k);
  for (let point = 0; point < means.length; point++) {
    if (point % PIECE_POINTS === 0) yield;
    let sum = 0;
    for (let at = point * k; at < (point + 1) * k; at++) sum += distances[at];
    means[point] = sum / k;
  }
  return means;
}
