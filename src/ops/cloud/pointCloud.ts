/**
 * `PointCloud` keeps points of one to three columns on a device and finds the nearest of them, exactly. It is
 * a k-NN index whose tree stays; the searches themselves are those of ops/knn.
 */
import { Shared } from "../../core/async/shared.ts";
import { InvalidInputError, oneOf } from "../../core/errors.ts";
import type { Matrix, MatrixLike } from "../../core/matrix.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { Device, deviceNames, type DeviceOptions } from "../../runtime/device.ts";
import type { Explanation } from "../../runtime/explain.ts";
import { executeNames, type ExecuteOptions } from "../../runtime/execute.ts";
import {
  KnnIndex,
  searchNames,
  searchRadius,
  type KnnExplanation,
  type KnnOptions,
  type KnnResult,
  type RadiusResult,
  type SearchOptions,
} from "../knn/index.ts";

const cloudTechniques = ["auto", "grid"] as const;
const MOST_CELLS = 256;
const cloudMetrics = ["euclidean", "sqeuclidean"] as const;
const MOST_COLUMNS = 3;
/** A GPU looks at this many values itself: the host would take as long for that as it takes to search. */
const ASSUME_FROM = 2 ** 20;

/**
 * `PointCloud.create` takes these options.
 * @example
 * const options: PointCloudOptions = { metric: "sqeuclidean", backend: "cpu" };
 * const cloud = await PointCloud.create([[0, 0], [3, 4]], options);
 * (await cloud.nearest([[0, 1]], { k: 2 })).distances; // => [1, 18]
 * cloud.dispose();
 */
export interface PointCloudOptions extends DeviceOptions {
  /** It is "euclidean" (default), or its square. */
  readonly metric?: (typeof cloudMetrics)[number] | undefined;
  /**
   * Points are ordered so that boxes over them are small, whatever the shape of the cloud ("auto", default),
   * or by the cells of a uniform grid ("grid"). This changes the time that searches take, never their
   * results.
   */
  readonly technique?: (typeof cloudTechniques)[number] | undefined;
  /**
   * The grid has this many cells along each column, 1 to 256; default a power of two that gives about eight
   * points per cell if they are evenly spread.
   */
  readonly cells?: number | undefined;
  /** A device to use and keep open; default the cloud opens its own and closes it at `dispose`. */
  readonly device?: Device | undefined;
  /** Aborts the creation, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Is called after each search, with how it was done. */
  readonly onExplanation?: ((explanation: Explanation) => void) | undefined;
  /** @internal */
  readonly tiles?: KnnOptions["tiles"];
}

const cloudNames: OptionNames<PointCloudOptions> = {
  metric: 1,
  technique: 1,
  cells: 1,
  ...deviceNames,
  device: 1,
  signal: 1,
  onExplanation: 1,
  tiles: 0,
};

/**
 * `PointCloud.nearest` takes these options.
 * @example
 * const options: NearestOptions = { k: 2, excludeSelf: true };
 * const points = [[0, 0], [0, 1], [5, 5]];
 * const cloud = await PointCloud.create(points);
 * (await cloud.nearest(points, options)).indices; // => [1, 2, 0, 2, 1, 0]
 * cloud.dispose();
 */
export interface NearestOptions extends SearchOptions {
  /** Each query has this many neighbours, 1 to the points of the cloud; default 1. */
  readonly k?: number | undefined;
}

const nearestNames: OptionNames<NearestOptions> = { k: 1, ...searchNames };

/**
 * `PointCloud.radiusNeighbors` takes these options.
 * @example
 * const options: CloudRadiusOptions = { radius: 1.5 };
 * const cloud = await PointCloud.create([[0, 0], [1, 1], [5, 5]]);
 * (await cloud.radiusNeighbors([[0, 0], [9, 9]], options)).offsets; // => [0, 2, 2]
 * cloud.dispose();
 */
export interface CloudRadiusOptions extends ExecuteOptions {
  /** Neighbours are at most this far away, at least 0; with the metric sqeuclidean it bounds the square. */
  readonly radius: number;
}

interface Owned extends Pick<PointCloudOptions, "onExplanation"> {
  readonly index: KnnIndex;
  readonly device: Device | undefined;
}

/**
 * Keeps points of one to three columns on a device and finds those nearest to queries by float64 distances:
 * the same points, in the same order, with the same bits on every backend. Ties go to the lower index. Points
 * may coincide, and queries may lie outside the cloud.
 * @example
 * const cloud = await PointCloud.create([[0, 0, 0], [1, 0, 0], [0, 2, 0]]);
 * const { indices, distances } = await cloud.nearest([[0.75, 0, 0], [0, 9, 0]]);
 * indices; // => Uint32Array [1, 2]
 * distances; // => Float64Array [0.25, 7]
 * cloud.dispose();
 */
export class PointCloud {
  readonly #owned: Shared<Owned>;
  #isDisposed = false;

  /**
   * Takes the points.
   * @param points [points, 1 to 3], kept by reference; do not change them while the cloud is in use
   * @throws InvalidInputError for points or options that cannot be used. In a large float32 matrix for a GPU,
   *   a value that is not finite is found only by the first search, which then rejects.
   */
  static async create(points: MatrixLike, options: PointCloudOptions = {}): Promise<PointCloud> {
    checkOptions(options, "PointCloud.create", cloudNames);
    const { metric = "euclidean", signal, onExplanation, tiles } = options;
    if (!cloudMetrics.includes(metric)) {
      throw new InvalidInputError(
        `metric is ${JSON.stringify(metric)}; a PointCloud measures by ${oneOf(cloudMetrics)}; ` +
          "kneighbors and NearestNeighbors take every metric",
      );
    }
    const grid = gridOf(options);
    signal?.throwIfAborted();
    const device = options.device ?? (await Device.among(options));
    const own = options.device ? undefined : device;
    try {
      const index = await KnnIndex.create(
        device,
        points,
        {
          metric,
          missing: "error",
          tiles: {
            keepsTree: true,
            assumeFrom: ASSUME_FROM,
            assumeQueriesFrom: ASSUME_FROM,
            ...grid,
            ...tiles,
          },
        },
        signal,
      );
      try {
        checkColumns(index.train.cols);
      } catch (error) {
        index.dispose();
        throw error;
      }
      return new PointCloud({ index, device: own, onExplanation });
    } catch (error) {
      own?.dispose();
      throw error;
    }
  }

  private constructor(owned: Owned) {
    this.#owned = new Shared(owned, ({ index, device }) => {
      index.dispose();
      device?.dispose();
    });
  }

  /** Returns the number of points. */
  get points(): number {
    return this.#owned.value.index.train.rows;
  }

  /** Returns the number of columns, 1 to 3. */
  get columns(): number {
    return this.#owned.value.index.train.cols;
  }

  /**
   * Finds the k nearest points of every query, row-major [queries][k], ascending by (distance, point).
   * @param queries [queries, columns]; with `excludeSelf` the points themselves in their order
   * @throws InvalidInputError for queries, a k or a radius that cannot be used, and after `dispose`
   */
  async nearest(queries: MatrixLike, options: NearestOptions = {}): Promise<KnnResult> {
    checkOptions(options, "PointCloud.nearest", nearestNames);
    const { k = 1, ...search } = options;
    return this.#use(queries, search.signal, (index, matrix) => index.search(matrix, k, search));
  }

  /**
   * Finds all points within a radius of every query, ascending by (distance, point).
   * @param queries [queries, columns]
   * @throws InvalidInputError for queries or a radius that cannot be used, and after `dispose`
   */
  async radiusNeighbors(queries: MatrixLike, options: CloudRadiusOptions): Promise<RadiusResult> {
    checkOptions(options, "PointCloud.radiusNeighbors", { ...executeNames, radius: 1 });
    return this.#use(queries, options.signal, (index, matrix) => searchRadius(index, matrix, options));
  }

  /**
   * Frees the points on the device, and the device where the cloud opened it: at once, or when the searches
   * that run have ended.
   */
  dispose(): void {
    if (!this.#isDisposed) this.#owned.release();
    this.#isDisposed = true;
  }

  /** Calls `dispose` where `using` ends. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  #use<T extends { readonly explanation: KnnExplanation }>(
    queries: MatrixLike,
    signal: AbortSignal | undefined,
    work: (index: KnnIndex, queries: Matrix) => Promise<T>,
  ): Promise<T> {
    if (this.#isDisposed) {
      throw new InvalidInputError(
        "this PointCloud was disposed of; make another by PointCloud.create(points)",
      );
    }
    return this.#owned.use(async ({ index, onExplanation }) => {
      const found = await work(index, await index.queryMatrix(queries, signal));
      onExplanation?.(found.explanation);
      return found;
    });
  }
}

/** @throws InvalidInputError for a technique that does not exist, and cells that no grid has */
function gridOf({
  technique = "auto",
  cells,
}: PointCloudOptions): Pick<NonNullable<KnnOptions["tiles"]>, "cells"> {
  if (!cloudTechniques.includes(technique)) {
    throw new InvalidInputError(
      `technique is ${JSON.stringify(technique)}; expected ${oneOf(cloudTechniques)}`,
    );
  }
  if (technique === "auto") {
    if (cells === undefined) return {};
    throw new InvalidInputError(`cells is ${cells}, but the technique is "auto"; add technique: "grid"`);
  }
  if (cells === undefined) return { cells: "auto" };
  if (Number.isInteger(cells) && cells >= 1 && cells <= MOST_CELLS) return { cells };
  throw new InvalidInputError(`cells is ${cells}; expected a whole number from 1 to ${MOST_CELLS}`);
}

/** @throws InvalidInputError for points of too many columns */
export function checkColumns(cols: number): void {
  if (cols <= MOST_COLUMNS) return;
  throw new InvalidInputError(
    `points have ${cols} columns; a PointCloud has at most ${MOST_COLUMNS}; ` +
      "kneighbors and NearestNeighbors take any number",
  );
}
