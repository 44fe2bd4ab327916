/** `NearestNeighbors` is exact search as an estimator, after scikit-learn's class of that name. */
import { InvalidInputError } from "../core/errors.ts";
import { checkOneOf, checkOptions, type OptionNames } from "../core/options.ts";
import type { Matrix } from "../core/matrix.ts";
import { resolveMetric } from "../distance/anyMetric.ts";
import { Shared } from "../core/async/shared.ts";
import { atOnce } from "../core/async/yielding.ts";
import { Device, deviceNames } from "../runtime/device.ts";
import type { DeviceOptions } from "../runtime/device.ts";
import { KnnIndex, LaterSearches, knnNames, searchNames } from "../ops/knn/index.ts";
import type { KnnOptions, KnnResult, NumberedRows, SearchOptions } from "../ops/knn/index.ts";
import { Table } from "../table/table.ts";
import type { Change, FittedNeighbors } from "./changes.ts";
import { Features } from "./features.ts";
import type { FeatureOptions, Rows } from "./features.ts";
import { rapidminerSearch } from "./rapidminer/search.ts";

export const compatNames = ["rapidminer"] as const;

/**
 * Results follow the rules of this program exactly, oddities included; "rapidminer" is RapidMiner Studio
 * 9.10.
 * @example
 * const compat: Compat = "rapidminer"; // which divides the sum by nNeighbors even of fewer rows
 * const model = await new KNeighborsRegressor({ nNeighbors: 3, compat }).fit([[0], [1]], [3, 6]);
 * await model.predict([[0]]); // => [3]
 * model.dispose();
 */
export type Compat = (typeof compatNames)[number];

/**
 * `NearestNeighbors` takes these options.
 * @example
 * const options: NeighborsOptions = { nNeighbors: 1, metric: "manhattan", features: ["x", "y"] };
 * const train = Table.fromColumns({ id: [7, 8], x: [0, 5], y: [1, 1] });
 * const nn = await new NearestNeighbors(options).fit(train);
 * (await nn.kneighbors(Table.fromColumns({ x: [1], y: [3] }))).distances; // => [3]
 * nn.dispose();
 */
export interface NeighborsOptions extends KnnOptions, DeviceOptions, FeatureOptions {
  /** Each query has this many neighbours; default 5. */
  readonly nNeighbors?: number | undefined;
  /**
   * "rapidminer" keeps the neighbours that RapidMiner's bounded heap would keep, in the order of its array,
   * and allows more neighbours than there are rows; by default ties go to the lower row.
   */
  readonly compat?: Compat | undefined;
  /**
   * This device is used and stays open; by default the estimator opens its own at `fit` and closes it at
   * `dispose`.
   */
  readonly device?: Device | undefined;
}

export const neighborsNames: OptionNames<NeighborsOptions> = {
  nNeighbors: 1,
  ...knnNames,
  features: 1,
  roles: 1,
  compat: 1,
  ...deviceNames,
  device: 1,
};

/**
 * One search of an estimator takes these options.
 * @example
 * const options: KneighborsCallOptions = { nNeighbors: 3, radius: 3.5 };
 * const nn = await new NearestNeighbors({ nNeighbors: 1 }).fit([[0], [1], [5]]);
 * (await nn.kneighbors([[4]], options)).indices; // => [2, 1, NO_NEIGHBOR]
 * nn.dispose();
 */
export interface KneighborsCallOptions extends SearchOptions {
  /** Each query gets this many neighbours, instead of the estimator's own number. */
  readonly nNeighbors?: number | undefined;
}

export const callNames: OptionNames<KneighborsCallOptions> = { nNeighbors: 1, ...searchNames };

/**
 * An estimator was fitted on these rows: some columns of a table, or a matrix.
 * @example
 * const colsOf = (rows: TrainedRows) => ("table" in rows ? rows.features.length : rows.matrix.cols);
 * const nn = new NearestNeighbors();
 * colsOf((await nn.fit([[0, 1]])).trained); // => 2
 * colsOf((await nn.fit(Table.fromColumns({ x: [0] }))).trained); // => 1
 * nn.dispose();
 */
export type TrainedRows =
  { readonly table: Table; readonly features: readonly string[] } | { readonly matrix: Matrix };

const DEFAULT_NEIGHBORS = 5;

/**
 * Finds the exact nearest neighbours of rows.
 * @example
 * const nn = await new NearestNeighbors({ nNeighbors: 2, metric: "manhattan" }).fit([[0], [1], [5]]);
 * const { indices } = await nn.kneighbors([[4]]);
 * indices; // => [2, 1]
 *
 * await nn.add([[4], [3]]); // => [3, 4]
 * await nn.remove([2]);
 * (await nn.kneighbors([[4]])).indices; // => [3, 4]
 * nn.ids; // => [0, 1, 3, 4]
 * nn.dispose();
 */
export class NearestNeighbors {
  readonly options: NeighborsOptions;
  /** The estimator opened this device itself. */
  #own: Shared<Promise<Device>> | undefined;
  #fitted: Shared<FittedNeighbors> | undefined;
  #disposals = 0;
  /** It ends when the changes of rows that were asked for are made, one after the other. */
  #changes: Promise<unknown> = Promise.resolve();

  /** @throws InvalidInputError for an unknown metric or compat, or a number of neighbours below 1 */
  constructor(options: NeighborsOptions = {}) {
    checkOptions(options, "NearestNeighbors", neighborsNames);
    checkNeighborsOptions(options);
    this.options = options;
  }

  /** Returns the number of neighbours per query where a call gives none. */
  get nNeighbors(): number {
    return this.options.nNeighbors ?? DEFAULT_NEIGHBORS;
  }

  /**
   * Returns the numbers of the rows, ascending: results name rows by them. `fit` numbers rows from 0; `add`
   * numbers on, and no number is given again.
   */
  get ids(): Uint32Array {
    const { value } = this.#checked;
    if (!("index" in value)) return value.numbered.ids;
    return Uint32Array.from({ length: value.index.train.rows }, (_, row) => row);
  }

  /** Returns the rows that the estimator was fitted on, with later changes, for model files. */
  get trained(): TrainedRows {
    const { value } = this.#checked;
    if (!("index" in value)) return value.left();
    const { rows, index, features } = value;
    atOnce(index.check());
    return rows instanceof Table && features.names
      ? { table: rows, features: features.names }
      : { matrix: index.train };
  }

  /**
   * Takes the training rows: a matrix [rows, cols] or a table, kept by reference; a table's features are
   * copied as well. Searches that are running finish on the rows that they began with.
   * @param label a column of the table that is not a feature
   * @returns this
   * @throws InvalidInputError for rows that cannot be used. The values of a large float32 matrix for a GPU
   *   are checked while it is uploaded: one that is not finite is then found by the first search.
   */
  async fit(train: Rows, label?: string): Promise<this> {
    return this.fitThen(train, label, () => this);
  }

  /**
   * Does what `fit` does, and something in the same turn in which the rows take the place of those before, so
   * that nobody sees the one without the other.
   * @internal
   */
  async fitThen<T>(train: Rows, label: string | undefined, then: () => T | Promise<T>): Promise<T> {
    const before = this.#disposals;
    const fitted = await this.#onDevice((device) => this.#fit(device, train, label));
    if (before !== this.#disposals) {
      fitted.release();
      throw new InvalidInputError(
        "this estimator was disposed of before it was fitted; call fit(train) again",
      );
    }
    this.#fitted?.release();
    this.#fitted = fitted;
    return then();
  }

  /**
   * Appends rows. Later searches give the same results as if all rows had been fitted at once, ties included,
   * and name rows by their numbers; those that are running finish on the rows they began with. Adding takes
   * as long as a `fit` of these rows, and now and then of as many as were added before; with Mahalanobis
   * distances or `precision: "float32"`, of all rows.
   * @param rows [rows, cols], copied, or a table with the features; its nominal values may be new ones
   * @returns the numbers of the rows
   * @throws InvalidInputError for rows that cannot be compared with the present ones, with `compat`, with
   *   precomputed distances, and if `fit` or `dispose` is called before it is done; nothing is then added
   */
  async add(rows: Rows): Promise<Uint32Array> {
    return this.changeThen({ added: rows }, numbersFrom);
  }

  /**
   * Removes rows. Later searches give the same results as if only the others had been fitted; these keep
   * their numbers. Removing takes little time, but a `fit` of the others whenever an eighth of the rows has
   * gone, and each time with Mahalanobis distances or `precision: "float32"`. All rows may be removed: a
   * search is then an error until some are added.
   * @param ids numbers of rows
   * @throws InvalidInputError for a number that no row has or that is given twice; also as `add`; nothing is
   *   then removed
   */
  async remove(ids: Iterable<number>): Promise<void> {
    return this.changeThen({ removed: ids }, () => undefined);
  }

  /**
   * Adds or removes rows, and does something in the same turn in which they take the place of those before.
   * @param then is given the number of the first row that was added
   * @internal
   */
  async changeThen<T>(change: Change, then: (rows: NumberedRows, first: number) => T): Promise<T> {
    const changed = this.#changes.then(() => this.#change(change, then));
    this.#changes = changed.catch(() => undefined);
    return changed;
  }

  async #change<T>(change: Change, then: (rows: NumberedRows, first: number) => T): Promise<T> {
    const before = this.#checked;
    checkChangeable(this.options);
    const { changedRows } = await import("./changes.ts");
    const made = () => before.use((fitted) => changedRows(fitted, change));
    const fitted = await (this.#own ? this.#own.use(made) : made());
    try {
      if (before !== this.#fitted)
        throw new InvalidInputError(
          "this estimator was fitted again or disposed of while rows were added or removed; do it again",
        );
      const result = then(fitted.numbered, before.value.numbered!.next);
      this.#fitted = new Shared<FittedNeighbors>(fitted, free);
      before.release();
      return result;
    } catch (error) {
      fitted.numbered.dispose();
      throw error;
    }
  }

  async #fit(
    device: Device | Promise<Device>,
    train: Rows,
    label?: string,
  ): Promise<Shared<FittedNeighbors>> {
    const unseen = this.options.compat ? "missing" : "distinct";
    const features = new Features(train, { ...this.options, unseen }, label);
    const matrix = await features.trainMatrix(train);
    const index = await KnnIndex.create(await device, matrix, this.options);
    const later = new LaterSearches(index, this.nNeighbors);
    return new Shared<FittedNeighbors>({ index, later, features, rows: train }, free);
  }

  /**
   * Returns the neighbours of the rows [queries, cols], row-major [queries][nNeighbors], ascending by
   * (distance, index). With `compat: "rapidminer"` they are [queries][min(nNeighbors, rows of train)], in the
   * order of its heap's array.
   */
  async kneighbors(queries: Rows, options: KneighborsCallOptions = {}): Promise<KnnResult> {
    checkOptions(options, "kneighbors", callNames);
    const { nNeighbors = this.nNeighbors, ...search } = options;
    checkNeighbors(nNeighbors);
    const fitted = this.#checked;
    const searched = () =>
      fitted.use(async (value) => {
        const matrix = await value.features.queryMatrix(queries, search.signal);
        if (!("index" in value)) return value.numbered.search(matrix, nNeighbors, search);
        const { index, later } = value;
        return this.options.compat
          ? rapidminerSearch(index, matrix, nNeighbors, search)
          : later.during(() => index.search(matrix, nNeighbors, search));
      });
    return this.#own ? this.#own.use(searched) : searched();
  }

  /**
   * Frees the index, and the device where the estimator opened it: at once, or when running searches have
   * finished, which they do as if nothing had happened. Later ones need another `fit`; a running `fit`
   * rejects.
   */
  dispose(): void {
    this.#disposals++;
    this.#fitted?.release();
    this.#own?.release();
    this.#fitted = this.#own = undefined;
  }

  /** Calls `dispose` where `using` ends. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  get #checked() {
    if (this.#fitted) return this.#fitted;
    throw new InvalidInputError("this estimator is not fitted yet; call fit(train) first");
  }

  async #onDevice<T>(work: (device: Device | Promise<Device>) => Promise<T>): Promise<T> {
    if (this.options.device) return work(this.options.device);
    this.#own ??= this.#open();
    return this.#own.use(work);
  }

  #open(): Shared<Promise<Device>> {
    const device = Device.among(this.options);
    const own = new Shared(
      device,
      (opened) =>
        void opened.then(
          (it) => it.dispose(),
          () => undefined, // it was never opened, and fit said so
        ),
    );
    device.catch(() => {
      if (this.#own === own) this.#own = undefined;
    });
    return own;
  }
}

function free(fitted: FittedNeighbors): void {
  if ("later" in fitted) fitted.later.dispose();
  if (fitted.numbered) fitted.numbered.dispose();
  else if ("index" in fitted) fitted.index.dispose();
}

/** Returns the numbers of the rows from `first` on. */
export function numbersFrom({ next }: NumberedRows, first: number): Uint32Array {
  return Uint32Array.from({ length: next - first }, (_, row) => first + row);
}

/** @throws InvalidInputError where rows can be neither added nor removed */
function checkChangeable({ compat, metric }: NeighborsOptions): void {
  const given = compat
    ? `compat ${JSON.stringify(compat)}`
    : metric === "precomputed"
      ? `metric "${metric}"`
      : "";
  if (given === "") return;
  throw new InvalidInputError(`rows cannot be added or removed with ${given}; call fit(train) with all rows`);
}

/** @throws InvalidInputError for an unknown metric or compat, or a number of neighbours below 1 */
export function checkNeighborsOptions(options: NeighborsOptions): void {
  resolveMetric(options);
  checkNeighbors(options.nNeighbors ?? DEFAULT_NEIGHBORS);
  checkCompat(options);
}

function checkNeighbors(nNeighbors: number): void {
  if (Number.isInteger(nNeighbors) && nNeighbors >= 1) return;
  throw new InvalidInputError(`nNeighbors is ${nNeighbors}; expected a whole number of at least 1`);
}

/** @throws InvalidInputError for a radius, since a query may then have no neighbour at all to predict from */
export function checkAllVote({ radius }: KneighborsCallOptions = {}): void {
  if (radius === undefined) return;
  throw new InvalidInputError(
    `a radius of ${radius} may leave a query without neighbours to predict from; leave it out, or use kneighbors`,
  );
}

function checkCompat({ compat, precision }: NeighborsOptions): void {
  if (compat === undefined) return;
  checkOneOf(compat, compatNames, "compat");
  if (precision === "float32") {
    throw new InvalidInputError(
      `compat ${JSON.stringify(compat)} needs float64 distances, but precision is float32; leave out one of them`,
    );
  }
}
