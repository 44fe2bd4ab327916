/** `NearestNeighbors`: exact search as an estimator, after scikit-learn's class of that name. */
import { InvalidInputError } from "../core/errors.ts";
import { resolveMetric } from "../core/metric.ts";
import { Device } from "../engine/device.ts";
import type { DeviceOptions } from "../engine/device.ts";
import { KnnIndex } from "../operators/knn.ts";
import type { KnnOptions, KnnResult, SearchOptions } from "../operators/knn.ts";
import { Features } from "./features.ts";
import type { Rows } from "./features.ts";

/** What `NearestNeighbors` takes. */
export interface NeighborsOptions extends KnnOptions, DeviceOptions {
  /** Neighbours per query; default 5. */
  readonly nNeighbors?: number | undefined;
  /** Columns of a table to measure by, in this order; default all (but the label). */
  readonly features?: readonly string[] | undefined;
  /** A device to use and keep open; default the estimator opens its own at `fit` and closes it at `dispose`. */
  readonly device?: Device | undefined;
}

/** What one search of an estimator takes. */
export interface KneighborsCallOptions extends SearchOptions {
  /** Instead of the estimator's own. */
  readonly nNeighbors?: number | undefined;
}

const DEFAULT_NEIGHBORS = 5;

/**
 * Exact nearest neighbours of rows.
 * @example
 * const nn = await new NearestNeighbors({ nNeighbors: 2, metric: "manhattan" }).fit([[0], [1], [5]]);
 * const { indices } = await nn.kneighbors([[4]]);
 * indices; // => [2, 1]
 * nn.dispose();
 */
export class NearestNeighbors {
  readonly #options: NeighborsOptions;
  /** The device the estimator opened itself. */
  #own: Promise<Device> | undefined;
  #fitted: { readonly index: KnnIndex; readonly features: Features } | undefined;

  /** @throws InvalidInputError for an unknown metric or a number of neighbours below 1 */
  constructor(options: NeighborsOptions = {}) {
    resolveMetric(options);
    const { nNeighbors = DEFAULT_NEIGHBORS } = options;
    if (!Number.isInteger(nNeighbors) || nNeighbors < 1) {
      throw new InvalidInputError(`nNeighbors is ${nNeighbors}; expected a whole number of at least 1`);
    }
    this.#options = options;
  }

  /**
   * Takes the training rows: a matrix [rows, cols], kept by reference, or a table, of which `features` are copied.
   * @param label a column of the table that is no feature
   * @returns this
   */
  async fit(train: Rows, label?: string): Promise<this> {
    const { metric, missing, features: wanted } = this.#options;
    const features = new Features(train, wanted, label, { metric, missing });
    const matrix = features.trainMatrix(train);
    const index = new KnnIndex(await this.#device(), matrix, this.#options);
    this.#fitted?.index.dispose();
    this.#fitted = { index, features };
    return this;
  }

  /** Neighbours of [queries, cols], row-major [queries][nNeighbors], ascending by (distance, index). */
  async kneighbors(queries: Rows, options: KneighborsCallOptions = {}): Promise<KnnResult> {
    if (!this.#fitted) throw new InvalidInputError("this estimator is not fitted yet; call fit(train) first");
    const { nNeighbors = this.#options.nNeighbors ?? DEFAULT_NEIGHBORS, ...search } = options;
    const { index, features } = this.#fitted;
    return index.search(features.queryMatrix(queries), nNeighbors, search);
  }

  /** Frees the index, and the device where the estimator opened it. */
  dispose(): void {
    this.#fitted?.index.dispose();
    this.#fitted = undefined;
    void this.#own?.then(
      (device) => device.dispose(),
      () => undefined, // it was never opened, and fit said so
    );
    this.#own = undefined;
  }

  #device(): Device | Promise<Device> {
    if (this.#options.device) return this.#options.device;
    this.#own ??= Device.create(this.#options).catch((error: unknown) => {
      this.#own = undefined;
      throw error;
    });
    return this.#own;
  }
}
