/** Says how far the points of one cloud are from each other. Two clouds are in distances.ts. */
import { InvalidInputError } from "../../core/errors.ts";
import type { MatrixLike } from "../../core/matrix.ts";
import { checkOptions } from "../../core/options.ts";
import { cloudOptionNames, pointMatrix, withCloud, type CloudOptions } from "./withCloud.ts";
import { plural } from "../../core/plural.ts";

/**
 * Returns the mean, over the points, of the distance to the nearest other point (P. J. Clark and F. C. Evans,
 * Distance to Nearest Neighbor as a Measure of Spatial Relationships in Populations, 1954; of a scan it is
 * called the resolution). A point that coincides with another counts as 0. Distances are those of float64,
 * and are added up in the order of the points, so that the result has the same bits on every device.
 *
 * @param points [points, 1 to 3], at least two
 * @throws InvalidInputError for points or options that cannot be used
 * @example
 * await meanNearestDistance([[0, 0], [1, 0], [1, 4]]); // => (1 + 1 + 4) / 3
 */
export async function meanNearestDistance(points: MatrixLike, options: CloudOptions = {}): Promise<number> {
  checkOptions(options, "meanNearestDistance", cloudOptionNames);
  const { signal } = options;
  const matrix = await pointMatrix(points, "points", signal);
  if (matrix.rows < 2) {
    throw new InvalidInputError(
      `points are ${plural(matrix.rows, "row")}; the nearest other one needs at least 2`,
    );
  }
  const { distances } = await withCloud(matrix, options, (cloud) =>
    cloud.nearest(matrix, { excludeSelf: true, signal }),
  );
  return meanOf(distances);
}

/** Returns the mean; sums run from the first number to the last. */
export function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
