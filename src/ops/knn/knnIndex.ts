/**
 * This finds exact k-nearest neighbours of matrices: it checks arguments, searches, and returns a typed
 * result. `KnnIndex` keeps the training rows on the device between searches. The one-shot form is in
 * kneighbors.ts, the estimators with fit and predict are in models/.
 */
import type { Matrix, MatrixLike } from "../../core/matrix.ts";
import { checkOneOf } from "../../core/options.ts";
import type { Yielding } from "../../core/async/yielding.ts";
import type { AssumedFit } from "../../distance/fit.ts";
import { FittedRows } from "../../distance/fittedRows.ts";
import { checkMetricOptions, type Metric } from "../../distance/metric.ts";
import type { RowGroups } from "../../distance/rows/distinct.ts";
import { checkSelf } from "../../distance/rows/self.ts";
import { checkK, checkRadius, cutAtRadius, neighborsInto } from "./arguments.ts";
import { collect, listsOf, refine, refineElsewhere } from "./refine.ts";
import type { Neighbors } from "./refine.ts";
import type { KnnExplanation } from "./plan/explain.ts";
import { knnProgram } from "./plan/knn.ts";
import type { Device } from "../../runtime/device.ts";
import { runKnn, type KnnCall } from "./run.ts";
import type { KnnOptions, KnnResult, SearchOptions } from "./options.ts";

export type { KnnOptions, KnnResult, SearchOptions } from "./options.ts";

/** An index holds training rows made ready for searches on one device. */
export class KnnIndex {
  readonly device: Device;
  /** These are the training rows; their values may not have been checked yet, see `check`. */
  readonly train: Matrix;
  readonly metric: Metric;
  /**
   * These are the fitted rows, for searches of other kinds.
   * @internal
   */
  readonly rows: FittedRows<KnnOptions>;
  /** This index has one of each of the rows that repeat, and `groups` says which rows equal it. */
  readonly #distinct: { readonly groups: RowGroups; readonly index: KnnIndex } | undefined;

  /**
   * @param train [rows, cols], kept by reference and never changed; the caller must not change it either
   * @throws InvalidInputError for a matrix or options that cannot be used; a value that is not finite in a
   *   large matrix that the device checks is found by the first search
   */
  static async create(
    device: Device,
    train: MatrixLike,
    options: KnnOptions = {},
    signal?: AbortSignal,
    like?: AssumedFit,
  ): Promise<KnnIndex> {
    checkMetricOptions(options);
    checkOneOf(options.precision, ["float64", "float32"], "precision");
    const fitted = await FittedRows.create(device, train, options, signal, like);
    return new KnnIndex(fitted);
  }

  private constructor(rows: FittedRows<KnnOptions>) {
    const { device, train, metric, distinct } = rows;
    this.device = device;
    this.train = train;
    this.metric = metric;
    this.rows = rows;
    this.#distinct = distinct && { groups: distinct.groups, index: new KnnIndex(distinct.rows) };
  }

  /**
   * Checks all values of train, unless that was done.
   * @throws InvalidInputError for a value that is not finite
   */
  check(): Yielding<void> {
    return this.rows.check();
  }

  /**
   * Returns the queries in the library's own form, checked against the training rows.
   * @throws InvalidInputError for queries that cannot be compared with them
   */
  queryMatrix(queries: MatrixLike, signal?: AbortSignal): Promise<Matrix> {
    return this.rows.queryMatrix(queries, signal);
  }

  /**
   * Finds the k nearest training rows of every query.
   * @param queries [queries, cols]
   * @throws InvalidInputError when k is not between 1 and the rows of train (one less without self), the
   *   columns differ, or the radius is negative
   */
  async search(queries: MatrixLike, k: number, options: SearchOptions = {}): Promise<KnnResult> {
    const { signal, radius, excludeSelf = false, asKeys = false, asked } = options;
    const matrix = asked?.matrix ?? (await this.queryMatrix(queries, signal));
    if (asked) asked.matrix = matrix;
    checkK(k, this.train.rows, excludeSelf);
    if (radius !== undefined) checkRadius(radius, this.metric);
    if (excludeSelf) checkSelf(this.train, matrix);
    const into = { ...neighborsInto(matrix.rows, k, options.out), withoutSelf: excludeSelf, asKeys };
    signal?.throwIfAborted();
    const explanation = this.#distinct
      ? await this.#searchDistinct(this.#distinct, matrix, into, options)
      : await this.#searchAll(matrix, excludeSelf ? k + 1 : k, into, options);
    const { indices, distances } = into;
    const counts =
      radius === undefined ? {} : { counts: cutAtRadius(indices, distances, matrix.rows, k, radius) };
    return { indices, distances, queries: matrix.rows, k, ...counts, explanation };
  }

  /** Searches one of each of the rows that repeat, then puts back the rows that equal it. */
  async #searchDistinct(
    { groups, index }: { readonly groups: RowGroups; readonly index: KnnIndex },
    queries: Matrix,
    into: Neighbors,
    { signal, onProgress, excludeSelf = false, asKeys = false }: SearchOptions,
  ): Promise<KnnExplanation> {
    const { k } = into;
    const size = Math.min(excludeSelf ? k + 1 : k, index.train.rows);
    const found = await index.search(queries, size, { signal, onProgress, asKeys: true });
    const { putBack } = await import("./distinct.ts");
    putBack(groups, found, size, queries.rows, k, excludeSelf ? (query) => query : undefined, into);
    if (this.metric.ordersByRank && !asKeys) {
      for (let at = 0; at < queries.rows * k; at++)
        into.distances[at] = this.metric.distance(into.distances[at]);
    }
    const { explanation } = found;
    return {
      ...explanation,
      references: `${explanation.references}, one of each of ${this.train.rows} rows`,
    };
  }

  /** Searches all rows. @param k the plan's k: one more where each query is a row that does not count */
  async #searchAll(
    queries: Matrix,
    k: number,
    into: Neighbors,
    options: SearchOptions,
  ): Promise<KnnExplanation> {
    const { signal, asked } = options;
    if (this.device.info.kind === "cpu" && queries.cols <= 3) {
      const { searchPoints } = await import("./points/search.ts");
      const done = await searchPoints(this.rows, queries, k, into, options);
      if (done) return done;
    }
    const finish = finisher(this.rows, queries, into, signal);
    return runKnn(this.rows, { queries, k, program: knnProgram, into, finish }, options, asked);
  }

  /** Frees the rows on the device once running searches have ended; the device stays open. */
  dispose(): void {
    this.rows.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/**
 * Makes the host's part of a job that finds neighbours: it evaluates candidates in float64, or only reads
 * them.
 */
function finisher(
  rows: FittedRows<KnnOptions>,
  queries: Matrix,
  into: Neighbors,
  signal: AbortSignal | undefined,
): KnnCall["finish"] {
  const { train, device, options } = rows;
  const metric = rows.metricFor(queries);
  const pairs = { options, fitted: rows.fittedFor(queries), train, queries, signal };
  return async ({ technique, problem }, { finish }, downloads) => {
    if (finish.kind === "ordered")
      return finish.collect(finish.rows, downloads, problem.k, into, metric, signal);
    const lists = listsOf(finish, downloads);
    if (finish.kind === "collect") {
      if (lists) collect(metric, finish.rows, lists, finish.rankExponent, into);
      return 0;
    }
    const all = { ...pairs, rows: finish.rows };
    const evaluated = lists ? undefined : await refineElsewhere(device, metric, all, into);
    const ties = technique.form === "none" ? undefined : technique.ties;
    return evaluated ?? refine(metric, train, queries, finish.rows, lists, into, signal, ties);
  };
}
