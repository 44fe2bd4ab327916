/**
 * `KNeighborsRegressor` predicts numbers by the mean of the nearest training rows, after scikit-learn's class
 * of that name.
 */
import { InvalidInputError } from "../core/errors.ts";
import { checkOptions } from "../core/options.ts";
import type { KnnResult } from "../ops/knn/index.ts";
import { average } from "./average.ts";
import { checkEstimatorOptions } from "./estimatorOptions.ts";
import type { Rows } from "./features.ts";
import { NearestNeighbors, callNames, checkAllVote, numbersFrom } from "./nearestNeighbors.ts";
import type { KneighborsCallOptions, NeighborsOptions, TrainedRows } from "./nearestNeighbors.ts";
import { r2Score } from "./r2.ts";
import { rapidminerAverage } from "./rapidminer/vote.ts";
import { targetsOf } from "./target.ts";
import type { Targets } from "./target.ts";
import type { Weights } from "./weights.ts";

/**
 * `KNeighborsRegressor` takes these options.
 * @example
 * const options: RegressorOptions = { nNeighbors: 1, features: ["rooms"] };
 * const train = Table.fromColumns({ rooms: [1, 4], floor: [9, 2], rent: [430, 1150] });
 * const model = await new KNeighborsRegressor(options).fit(train, "rent");
 * await model.predict(Table.fromColumns({ rooms: [2] })); // => [430]
 * model.dispose();
 */
export interface RegressorOptions extends NeighborsOptions {
  /** It is "uniform" by default. */
  readonly weights?: Weights | undefined;
}

/**
 * One pass over the queries gives predictions and the neighbours they come from.
 * @example
 * const model = await new KNeighborsRegressor({ nNeighbors: 2 }).fit([[1], [2], [4]], [430, 610, 1150]);
 * const { predictions, neighbors }: Regression = await model.regress([[1]]);
 * predictions; // => [520]
 * neighbors.indices; // => [0, 1]
 * model.dispose();
 */
export interface Regression {
  /** Each query has a number. */
  readonly predictions: Float64Array;
  readonly neighbors: KnnResult;
}

/**
 * It predicts numbers from the k nearest neighbours: a prediction is the mean of their labels, plain or
 * weighted by 1 / distance.
 *
 * With `compat: "rapidminer"` everything is as in that tool: the sum of the labels is divided by k even when
 * there are fewer rows, `weights: "distance"` is its weighted mean (which for k = 1 predicts 0 unless the
 * distance is 0), and a missing label gives NaN.
 * @example
 * const rooms = [[1], [2], [4]];
 * const model = await new KNeighborsRegressor({ nNeighbors: 2 }).fit(rooms, [430, 610, 1150]);
 * await model.predict([[1], [4]]); // => Float64Array [520, 880]
 *
 * await model.add([[4]], [1250]);
 * await model.predict([[4]]); // => Float64Array [1200]
 * await model.remove([2]);
 * await model.predict([[4]]); // => Float64Array [930]
 * model.dispose();
 */
export class KNeighborsRegressor {
  readonly options: RegressorOptions;
  readonly #neighbors: NearestNeighbors;
  #labels: { readonly targets: Float64Array; readonly column: string | undefined } | undefined;

  /** @throws InvalidInputError for options that are unknown or contradict each other */
  constructor(options: RegressorOptions = {}) {
    checkEstimatorOptions(options, "KNeighborsRegressor");
    this.#neighbors = new NearestNeighbors({ ...options, weights: undefined } as NeighborsOptions);
    this.options = options;
  }

  /**
   * Takes the training rows and their labels. Predictions that are running finish on the rows and labels that
   * they began with.
   * @param train a matrix [rows, cols] or a table, kept by reference
   * @param labels one number per row, or the name of the table's label column, which must be numeric
   * @returns this
   */
  async fit(train: Rows, labels: Targets | string): Promise<this> {
    return this.fitThen(train, labels, () => this);
  }

  /**
   * Does what `fit` does, and something in the same turn in which the labels take the place of those before.
   * @internal
   */
  async fitThen<T>(train: Rows, labels: Targets | string, then: () => T | Promise<T>): Promise<T> {
    const column = typeof labels === "string" ? labels : undefined;
    const targets = targetsOf(train, labels, this.options.compat);
    return this.#neighbors.fitThen(train, column, () => {
      this.#labels = { targets, column };
      return then();
    });
  }

  /**
   * Adds rows with their labels, as `NearestNeighbors.add` does: predictions are then those of a model fitted
   * on all rows. In a `Pipeline`, prepare the rows first: `chain.model.add(chain.prepare(rows), labels)`.
   * @param labels one number per row, or the name of the table's label column
   * @returns the numbers of the rows
   * @throws InvalidInputError for labels that `fit` refuses; also as `NearestNeighbors.add`
   */
  async add(rows: Rows, labels: Targets | string): Promise<Uint32Array> {
    const added = targetsOf(rows, labels, this.options.compat);
    return this.#neighbors.changeThen({ added: rows }, (numbered, first) => {
      const targets = new Float64Array(numbered.next);
      targets.set(this.#fitted.targets);
      targets.set(added, first);
      this.#labels = { targets, column: undefined };
      return numbersFrom(numbered, first);
    });
  }

  /** Removes rows, as `NearestNeighbors.remove` does. @throws InvalidInputError as there */
  async remove(ids: Iterable<number>): Promise<void> {
    return this.#neighbors.changeThen({ removed: ids }, () => {
      this.#labels = { ...this.#fitted, column: undefined };
    });
  }

  /** Returns the numbers of the rows, as `NearestNeighbors.ids`. */
  get ids(): Uint32Array {
    return this.#neighbors.ids;
  }

  /** Returns the rows and labels that the model was fitted on, which model files keep. */
  get trained(): TrainedRows & { readonly labels: string | Float64Array } {
    const { column, targets } = this.#fitted;
    const labels = column ?? Float64Array.from(this.ids, (id) => targets[id]);
    return { ...this.#neighbors.trained, labels };
  }

  /**
   * Returns the neighbours whose labels are averaged, row-major [queries][nNeighbors], ascending by
   * (distance, index).
   */
  kneighbors(queries: Rows, options?: KneighborsCallOptions): Promise<KnnResult> {
    return this.#neighbors.kneighbors(queries, options);
  }

  /** Returns one number per query. */
  async predict(queries: Rows, options?: KneighborsCallOptions): Promise<Float64Array> {
    return (await this.regress(queries, options)).predictions;
  }

  /** Returns predictions and neighbours of one pass. */
  async regress(queries: Rows, options?: KneighborsCallOptions): Promise<Regression> {
    checkOptions(options ?? {}, "regress", callNames);
    const { weights = "uniform", compat } = this.options;
    const { targets } = this.#fitted;
    const k = options?.nNeighbors ?? this.#neighbors.nNeighbors;
    checkAllVote(options);
    const neighbors = await this.kneighbors(queries, options);
    const predictions = compat
      ? rapidminerAverage(neighbors, targets, weights, k)
      : average(neighbors, targets, weights);
    return { predictions, neighbors };
  }

  /**
   * Returns R2, the share of the labels' variance that the predictions explain: 1 at best, 0 for always
   * predicting the mean, negative if worse than that.
   * @param labels one per query, or the name of the table's column that has them
   * @throws InvalidInputError for a column that lacks the number of a row
   */
  async score(queries: Rows, labels: Targets | string, options?: KneighborsCallOptions): Promise<number> {
    const truth = typeof labels === "string" ? targetsOf(queries, labels) : labels;
    return r2Score(truth, await this.predict(queries, options));
  }

  /** Frees the index, and the device if the regressor opened it, once running predictions have finished. */
  dispose(): void {
    this.#neighbors.dispose();
  }

  /** Calls `dispose` where `using` ends. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  get #fitted() {
    if (this.#labels) return this.#labels;
    throw new InvalidInputError("this regressor is not fitted yet; call fit(train, labels) first");
  }
}
