/** This is the one-shot form of k-NN search: it opens a device unless it is given one, and keeps no index. */
import type { MatrixLike } from "../../core/matrix.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { deviceNames, type Device, type DeviceOptions } from "../../runtime/device.ts";
import { knnNames, searchNames, type KnnOptions, type KnnResult, type SearchOptions } from "./options.ts";
import { withIndex } from "./withIndex.ts";

/**
 * `kneighbors` takes these options.
 * @example
 * const points = [[0], [1], [5]];
 * const options: KneighborsOptions = { k: 1, metric: "manhattan", excludeSelf: true, backend: "cpu" };
 * const { indices, distances } = await kneighbors(points, points, options);
 * indices; // => [1, 0, 1]
 * distances; // => [1, 1, 4]
 */
export interface KneighborsOptions extends KnnOptions, SearchOptions, DeviceOptions {
  /** Each query gets this many neighbours, 1 to the rows of train; default 5. */
  readonly k?: number | undefined;
  /**
   * This device is used and stays open. By default, calls without any device options share one; a call with
   * such options opens a device of its own and closes it again.
   */
  readonly device?: Device | undefined;
}

export const kneighborsNames: OptionNames<KneighborsOptions> = {
  k: 1,
  ...knnNames,
  ...searchNames,
  ...deviceNames,
  device: 1,
};

/**
 * Finds the k nearest rows of `train` for every row of `queries`, exact on every backend: the same rows, in
 * the same order, with the same bits. Ties go to the lower row index.
 *
 * @param train [rows, cols]
 * @param queries [queries, cols]
 * @throws InvalidInputError for matrices or options that cannot be used, such as k above the rows of train
 * @example
 * const { indices, distances } = await kneighbors([[0, 0], [3, 4]], [[0, 1]], { k: 2 });
 * indices; // => Uint32Array [0, 1]
 * distances; // => Float64Array [1, 4.242640687119285]
 */
export async function kneighbors(
  train: MatrixLike,
  queries: MatrixLike,
  options: KneighborsOptions = {},
): Promise<KnnResult> {
  checkOptions(options, "kneighbors", kneighborsNames);
  const { k = 5 } = options;
  return withIndex(train, options, (index) => index.search(queries, k, options));
}
