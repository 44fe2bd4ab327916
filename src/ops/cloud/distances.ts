/**
 * Says how far two clouds are from each other: by the means of nearest distances (chamfer), or by the
 * greatest of them (Hausdorff). The searches are those of `PointCloud`. How far the points of one cloud are
 * from each other is in spacing.ts.
 */
import type { MatrixLike } from "../../core/matrix.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { withDevice } from "../../runtime/onArrays.ts";
import type { KnnResult } from "../knn/index.ts";
import type { PointCloudOptions } from "./pointCloud.ts";
import { meanOf } from "./spacing.ts";
import { cloudOptionNames, withCloud, type CloudOptions } from "./withCloud.ts";

/**
 * `chamferDistance` takes these options.
 * @example
 * const options: ChamferOptions = { metric: "sqeuclidean" };
 * (await chamferDistance([[0], [1]], [[0], [3]], options)).distance; // => 2.5
 */
export interface ChamferOptions extends CloudOptions {
  /** It takes means of "euclidean" distances (default), or of "sqeuclidean", their squares. */
  readonly metric?: PointCloudOptions["metric"];
}

const chamferNames: OptionNames<ChamferOptions> = { metric: 1, ...cloudOptionNames };

/**
 * `chamferDistance` returns this.
 * @example
 * const { distance, forward, backward }: ChamferResult = await chamferDistance([[0], [1]], [[0], [3]]);
 * [distance, forward, backward]; // => [1.5, 0.5, 1]
 */
export interface ChamferResult {
  /** It is the sum of both means. */
  readonly distance: number;
  /** The mean, over the points of a, of the distance to the nearest of b; `backward` is that over b. */
  readonly forward: number;
  readonly backward: number;
}

/**
 * `hausdorffDistance` returns this.
 * @example
 * const result: HausdorffResult = await hausdorffDistance([[0], [1]], [[0], [3]]);
 * const { distance, a, b, forward, backward } = result;
 * [distance, a, b]; // => [2, 1, 1]
 * [forward, backward]; // => [1, 2]
 */
export interface HausdorffResult {
  readonly distance: number;
  /** Points `a` and `b` are this far apart; one of them is the nearest of its cloud to the other. */
  readonly a: number;
  readonly b: number;
  /** It is the greatest distance of a point of a to the nearest of b; `backward` is that of b to a. */
  readonly forward: number;
  readonly backward: number;
}

/**
 * Adds the mean distance of the points of `a` to the nearest of `b`, and that of the points of `b` to the
 * nearest of `a`. With the metric "sqeuclidean" these are means of squares, as in PyTorch3D; the
 * chamfer distance of Fan, Su and Guibas (A Point Set Generation Network, 2017) has sums of them instead.
 * Distances are those of float64, and are added up in the order of the points, so that the result has the
 * same bits on every device.
 *
 * @param a [points, 1 to 3]
 * @param b [points, as many columns]
 * @throws InvalidInputError for points or options that cannot be used
 * @example
 * const { distance } = await chamferDistance([[0, 0], [1, 0]], [[0, 0], [1, 2]]);
 * distance; // => 1.5
 */
export async function chamferDistance(
  a: MatrixLike,
  b: MatrixLike,
  options: ChamferOptions = {},
): Promise<ChamferResult> {
  checkOptions(options, "chamferDistance", chamferNames);
  const [forward, backward] = (await bothWays(a, b, options)).map(({ distances }) => meanOf(distances));
  return { distance: forward + backward, forward, backward };
}

/**
 * Finds the greatest distance from a point of either cloud to the nearest of the other, and two points that
 * are this far apart (F. Hausdorff, Grundzüge der Mengenlehre, 1914; each direction as SciPy's
 * `directed_hausdorff`). If pairs tie, the one with the lowest point of `a` is given, with its nearest by
 * (distance, index); a pair from `b` to `a` is given only if that direction has the greater distance.
 *
 * @param a [points, 1 to 3]
 * @param b [points, as many columns]
 * @throws InvalidInputError for points or options that cannot be used
 * @example
 * const { distance, a, b } = await hausdorffDistance([[0, 0], [1, 0]], [[0, 0], [1, 2]]);
 * distance; // => 2
 * [a, b]; // => [1, 1]
 */
export async function hausdorffDistance(
  a: MatrixLike,
  b: MatrixLike,
  options: CloudOptions = {},
): Promise<HausdorffResult> {
  checkOptions(options, "hausdorffDistance", cloudOptionNames);
  const [there, back] = (await bothWays(a, b, options)).map(farthestOf);
  const [forward, backward] = [there.distance, back.distance];
  return forward >= backward
    ? { distance: forward, a: there.query, b: there.nearest, forward, backward }
    : { distance: backward, a: back.nearest, b: back.query, forward, backward };
}

/** Finds the nearest of b to each point of a, and the other way round. */
function bothWays(a: MatrixLike, b: MatrixLike, options: ChamferOptions): Promise<KnnResult[]> {
  const { metric, signal, onExplanation } = options;
  return withDevice(options, async (device) => {
    const nearest = (points: MatrixLike, queries: MatrixLike) =>
      withCloud(points, { metric, device, signal, onExplanation }, (cloud) =>
        cloud.nearest(queries, { signal }),
      );
    return [await nearest(b, a), await nearest(a, b)];
  });
}

function farthestOf({ distances, indices }: KnnResult) {
  let query = 0;
  for (let at = 1; at < distances.length; at++) if (distances[at] > distances[query]) query = at;
  return { query, nearest: indices[query], distance: distances[query] };
}
