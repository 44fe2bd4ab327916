/**
 * These functions tell what distances say about a set of points: relative contrast, local intrinsic
 * dimension, hubness. They are pure and take what `distanceHistogram` and `kneighbors` return.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { log } from "../../core/float/explog.ts";
import { NO_ROW } from "../../distance/order.ts";

/**
 * Returns the relative contrast of each query, (max - min) / min of its distances: near 0 where the farthest
 * row is hardly farther than the nearest one. It is infinite where the nearest distance is 0, and NaN where
 * both are. From K. Beyer, J. Goldstein, R. Ramakrishnan, U. Shaft: When is "nearest neighbor" meaningful?
 * ICDT 1999.
 *
 * @example
 * const result = await distanceHistogram([[1], [2], [4]], [[0], [3]], { bins: 1 });
 * relativeContrast(result); // => [3, 1]
 */
export function relativeContrast({
  min,
  max,
}: {
  readonly min: Float64Array;
  readonly max: Float64Array;
}): Float64Array {
  return min.map((least, query) => (max[query] - least) / least);
}

/**
 * Returns the local intrinsic dimension at each query, estimated by maximum likelihood from its nearest
 * distances d: -1 / mean of log(d / largest d). Distances of 0 and missing neighbours are left out; where all
 * that are left are equal it is Infinity, and NaN where there are none. From L. Amsaleg et al.: Estimating
 * local intrinsic dimensionality, KDD 2015; E. Levina, P. Bickel: Maximum likelihood estimation of intrinsic
 * dimension, NIPS 2004. Some 100 neighbours are usual; exclude the row itself (`excludeSelf`).
 *
 * @param neighbors as `kneighbors` returns them, row-major [queries][k], ascending
 * @throws InvalidInputError for a distance below 0
 * @example
 * // Of the numbers up to r a share of r / 8 is within r: one dimension.
 * const line = Array.from({ length: 8 }, (_, i) => [i + 1]);
 * const [dimension] = localIntrinsicDimension(await kneighbors(line, [[0]], { k: 8 }));
 * Math.round(dimension); // => 1
 */
export function localIntrinsicDimension(neighbors: {
  readonly distances: Float64Array;
  readonly queries: number;
  readonly k: number;
}): Float64Array {
  const { distances, queries, k } = neighbors;
  return Float64Array.from({ length: queries }, (_, query) => {
    const own = distances.subarray(query * k, (query + 1) * k);
    const negative = own.find((distance) => distance < 0);
    if (negative !== undefined)
      throw new InvalidInputError(
        `query ${query} has the distance ${negative}; expected a metric whose distances are at least 0`,
      );
    const known = own.filter((distance) => distance > 0 && distance < Infinity);
    const largest = known.reduce((most, distance) => Math.max(most, distance), 0);
    const sum = known.reduce((total, distance) => total + log(distance / largest), 0);
    return known.length === 0 ? NaN : known.length / Math.abs(sum);
  });
}

/**
 * It tells how often each row is among the nearest.
 * @example
 * const { counts }: Hubness = hubness(await kneighbors([[0], [1], [5]], [[0], [2]], { k: 1 }), 3);
 * counts; // => [1, 1, 0]
 */
export interface Hubness {
  /** Each row of train is among the nearest of this many queries. */
  readonly counts: Uint32Array;
  /**
   * The counts have this skewness: above 0 where few rows, the hubs, are near many; NaN where all are equal.
   */
  readonly skewness: number;
}

/**
 * Counts how often each row of train is among the k nearest (its k-occurrence), and returns the skewness of
 * these counts, mean of ((count - mean) / deviation)^3. From M. Radovanović, A. Nanopoulos, M. Ivanović: Hubs
 * in space, JMLR 11, 2010.
 *
 * @param neighbors as `kneighbors` returns them; where the queries are the rows of train, with `excludeSelf`
 * @param rows the number of rows of train
 * @throws InvalidInputError for an index that is not one of `rows`
 * @example
 * const points = [[0], [1], [2], [9]];
 * const { counts } = hubness(await kneighbors(points, points, { k: 1, excludeSelf: true }), 4);
 * counts; // => [1, 2, 1, 0]
 */
export function hubness({ indices }: { readonly indices: Uint32Array }, rows: number): Hubness {
  const counts = new Uint32Array(rows);
  for (const index of indices) {
    if (index === NO_ROW) continue;
    if (index >= rows)
      throw new InvalidInputError(
        `neighbour ${index} is not one of ${rows} rows; give the number of rows of train`,
      );
    counts[index]++;
  }
  const mean = counts.reduce((sum, count) => sum + count, 0) / rows;
  let [squares, cubes] = [0, 0];
  for (const count of counts) {
    const square = (count - mean) * (count - mean);
    squares += square;
    cubes += square * (count - mean);
  }
  const variance = squares / rows;
  return { counts, skewness: cubes / rows / (variance * Math.sqrt(variance)) };
}
