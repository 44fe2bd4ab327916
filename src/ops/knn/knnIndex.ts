/**
 * Exact k-nearest neighbours of matrices: checks arguments, makes the plan, has the engine execute it, returns a typed
 * result. `KnnIndex` keeps the training rows on the device between searches. Not the one-shot form (kneighbors.ts), and not the
 * estimators with fit and predict (models/).
 */
import type { Matrix, MatrixLike } from "../../core/matrix.ts";
import { loadSpreading, queriesFor, resolveMetric } from "../../distance/metric.ts";
import type { Fitted, Metric, MetricOptions } from "../../distance/metric.ts";
import { PreparedRows, findRange, strideOf } from "../../distance/rows/prepare.ts";
import type { Preparation, Range } from "../../distance/rows/prepare.ts";
import { runYielding, type Yielding } from "../../core/async/yielding.ts";
import type { Device } from "../../runtime/device.ts";
import { putBack } from "./distinct.ts";
import type { RowGroups } from "../../distance/rows/distinct.ts";
import { checkK, checkPrecision, checkRadius, checkSelf, cutAtRadius, neighborsInto } from "./arguments.ts";
import { fit, checkedRange } from "../../distance/fit.ts";
import type { Fit, AssumedFit } from "../../distance/fit.ts";
import { Executor, rising } from "../../runtime/execute.ts";
import type { ExecuteOptions } from "../../runtime/execute.ts";
import { loadKnn, loadMixedKnn } from "../../runtime/kernels.ts";
import { collect, listsOf, refine, refineElsewhere } from "./refine.ts";
import type { Neighbors } from "./refine.ts";
import { explainKnn } from "./plan/explain.ts";
import type { Explanation } from "./plan/explain.ts";
import { isMixed } from "../../distance/forms/forms.ts";
import type { Ties } from "../../distance/forms/forms.ts";
import { knnProgram, planKnn, withSketch } from "./plan/knn.ts";
import type { KnnJob, KnnPlan } from "./plan/knn.ts";
import type { KnnProblem, Precision } from "../../distance/problem.ts";
import type { Program } from "../../runtime/program.ts";
import { boundsSource, inRanks } from "./plan/seedSteps.ts";
import type { Before } from "./plan/seedSteps.ts";
import type { Survey } from "./plan/survey.ts";
import { axesSource } from "./plan/sketchSteps.ts";
import type { TileCaps } from "./plan/tile.ts";

/**
 * How distances are measured.
 * @example
 * const options: KnnOptions = { metric: "manhattan", columnWeights: [1, 10] };
 * const train = [[0, 1], [5, 0]];
 * (await kneighbors(train, [[0, 0]], { ...options, k: 1 })).indices; // => [1]
 * (await radiusNeighbors(train, [[0, 0]], { ...options, radius: 10 })).distances; // => [5, 10]
 */
export interface KnnOptions extends MetricOptions {
  /** "float64" (default) is certified exact; "float32" takes distances as the device computes them. */
  readonly precision?: Precision | undefined;
  /**
   * Upper limits on tiles; results never depend on them. For tests and experiments.
   * @internal
   */
  readonly tiles?: TileCaps | undefined;
}

/**
 * What every search takes.
 * @example
 * const options: SearchOptions = { radius: 2 };
 * const { indices, counts } = await kneighbors([[0], [1], [5]], [[2]], { k: 3, ...options });
 * counts; // => [2]
 * indices; // => [1, 0, NO_NEIGHBOR]
 */
export interface SearchOptions extends ExecuteOptions {
  /** Where to write the result, at least queries x k long; default new arrays. */
  readonly out?: { readonly indices: Uint32Array; readonly distances: Float64Array } | undefined;
  /**
   * Only neighbours at this distance or nearer; default any. Places of neighbours that do not exist hold index 0xFFFFFFFF and
   * distance Infinity, and `counts` says how many exist.
   */
  readonly radius?: number | undefined;
  /**
   * Distances are what neighbours are ordered by, before a last root: for merging results. Default false.
   * @internal
   */
  readonly asKeys?: boolean | undefined;
  /** The queries are the training rows in their order, and no row counts as its own neighbour; default false. */
  readonly excludeSelf?: boolean | undefined;
  /**
   * What earlier searches found out about these queries and this one may add to: not to be kept while the caller may change them.
   * @internal
   */
  readonly asked?: Asked | undefined;
}

/** Queries that several indexes of like rows search for: looked at once, and what is known of them. */
export interface Asked {
  matrix?: Matrix;
  /** Around no centre. */
  range?: Range;
  /**
   * What was found among other rows, at least k: of train only what is nearer than its k-th is found, so that places may stay
   * empty. It may grow meanwhile.
   */
  before?: Before | undefined;
}

/**
 * Row-major [queries][k], ascending by (distance, index).
 * @example
 * const { indices, distances, queries, k }: KnnResult = await kneighbors([[0], [5], [9]], [[4], [8]], { k: 2 });
 * for (let query = 0; query < queries; query++) {
 *   const nearest = indices.subarray(query * k, (query + 1) * k);
 *   console.log(`query ${query}: rows ${nearest}, the nearest at distance ${distances[query * k]}`);
 * }
 * indices; // => [1, 0, 2, 1]
 */
export interface KnnResult {
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
  readonly queries: number;
  readonly k: number;
  /** With a radius: how many neighbours each query has. */
  readonly counts?: Uint32Array;
  /** How it was computed, made from the plan as executed. */
  readonly explanation: Explanation;
}

/** The module mixed.ts, which is loaded for rows that need it. */
type Mixing = typeof import("./mixed.ts");

type Downloads = ReadonlyMap<string, ArrayBuffer>;

/** The host's part of a job. @returns the pairs it evaluated in float64 */
type Finish = (plan: KnnPlan, job: KnnJob, downloads: Downloads) => Promise<number>;

/** Training rows made ready for searches on one device. */
export class KnnIndex {
  readonly device: Device;
  /** Its values may not have been looked at yet; see `look`. */
  readonly train: Matrix;
  readonly metric: Metric;
  readonly #options: KnnOptions;
  readonly #fitted: Fitted;
  readonly #centre: Float64Array | undefined;
  /** Promised while the device is to look at the values. */
  #range: Range;
  /** The same for searches of rows with codes or gaps, for which no device looks. */
  #mixedRange: Range | undefined;
  readonly #executor: Executor;
  #distinct: { readonly groups: RowGroups; readonly index: KnnIndex } | undefined;
  #surveyed: { readonly exponent: number; readonly found: Survey } | undefined;
  /**
   * @param train [rows, cols], kept by reference and never changed; must not be changed by the caller either
   * @throws InvalidInputError for a matrix or options that cannot be used; of a large matrix that the device looks at, a value
   *   that is not finite is found by the first search
   */
  static async create(
    device: Device,
    train: MatrixLike,
    options: KnnOptions = {},
    signal?: AbortSignal,
    like?: AssumedFit,
  ): Promise<KnnIndex> {
    resolveMetric(options);
    checkPrecision(options.precision);
    const work = fit(device.info, train, options, await loadSpreading(options), like);
    return new KnnIndex(device, await runYielding(work, signal), options);
  }

  private constructor(device: Device, { train, fitted, centre, range, distinct }: Fit, options: KnnOptions) {
    this.device = device;
    this.train = train;
    this.metric = resolveMetric(options, fitted);
    this.#options = options;
    this.#fitted = fitted;
    this.#centre = centre;
    this.#range = range;
    this.#executor = new Executor(device, loadKnn);
    this.#distinct = distinct && {
      groups: distinct.groups,
      index: new KnnIndex(device, distinct.fit, options),
    };
  }

  /**
   * The k nearest training rows of every query.
   * @param queries [queries, cols]
   * @throws InvalidInputError when k is not between 1 and the rows of train (one less without self), the columns differ, or
   *   the radius is negative
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

  /** For `create` with rows that are probably like these: where a sample of these promised what nothing has refuted. */
  get assumed(): AssumedFit | undefined {
    if (!this.#range.assumed || this.#distinct) return undefined;
    return {
      type: this.train.data.constructor,
      fitted: this.#fitted,
      centre: this.#centre,
      range: this.#range,
    };
  }

  /**
   * A search that keeps histories instead of neighbours: see operators/entrants.ts.
   * @internal
   */
  async searchHistories(
    queries: Matrix,
    k: number,
    program: Program<KnnPlan, KnnJob>,
    finish: Finish,
    options: ExecuteOptions,
  ): Promise<Explanation> {
    options.signal?.throwIfAborted();
    return this.#run(
      (ranges) => ({ ...this.#problem(queries, k, ranges), history: true }),
      queries,
      program,
      finish,
      options,
    );
  }

  /**
   * Looks at all values of train, unless somebody did.
   * @throws InvalidInputError for one that is not finite
   */
  *look(): Yielding<void> {
    if (this.#range.assumed) this.#range = yield* checkedRange(this.train, this.#centre, this.#options);
  }

  /** One of each of the rows that repeat, then those like it. */
  async #searchDistinct(
    { groups, index }: { readonly groups: RowGroups; readonly index: KnnIndex },
    queries: Matrix,
    into: Neighbors,
    { signal, onProgress, excludeSelf = false, asKeys = false }: SearchOptions,
  ): Promise<Explanation> {
    const { k } = into;
    const size = Math.min(excludeSelf ? k + 1 : k, index.train.rows);
    const found = await index.search(queries, size, { signal, onProgress, asKeys: true });
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

  /** @param k of the plan: one more where each query is a row that does not count */
  async #searchAll(matrix: Matrix, k: number, into: Neighbors, options: SearchOptions): Promise<Explanation> {
    const metric = this.metricFor(matrix);
    return this.#run(
      (ranges) => this.#problem(matrix, k, ranges),
      matrix,
      knnProgram,
      ({ technique }, job, downloads) => {
        const ties = technique.form === "none" ? undefined : technique.ties;
        return this.#finish(metric, ties, job, downloads, matrix, into, options.signal);
      },
      options,
    );
  }

  async #run(
    problemOf: (ranges: Pick<KnnProblem, "train" | "queries">) => KnnProblem,
    matrix: Matrix,
    program: Program<KnnPlan, KnnJob>,
    finish: Finish,
    { signal, onProgress, asked }: Pick<SearchOptions, "signal" | "onProgress" | "asked">,
  ): Promise<Explanation> {
    const start = performance.now();
    let refinedPairs = 0;
    this.device.takeStages();
    const report = rising(onProgress);
    const mixing = await this.#mixing(matrix);
    const before = asked?.before && inRanks(asked.before, this.metricFor(matrix));
    const execute = (plan: KnnPlan) =>
      this.#executor.execute(
        program,
        plan,
        sourcesOf(plan, this.train, matrix, mixing, before),
        async (job, downloads) => {
          const pairs = await finish(plan, job, downloads);
          this.device.countRefined(pairs);
          refinedPairs += pairs;
        },
        { signal, onProgress: report },
      );
    const queries = await runYielding(this.#queryRange(matrix, mixing, asked), signal);
    const problemNow = async () => ({
      ...problemOf({ train: await runYielding(this.#trainRange(mixing), signal), queries }),
      bounded: before !== undefined,
    });
    let plan = await this.#plan(await problemNow(), mixing);
    let done = looksOnDevice(plan) ? await execute(plan) : undefined;
    if (!done || done.refuted) {
      await runYielding(this.look(), signal);
      refinedPairs = 0;
      plan = await this.#plan(await problemNow(), mixing);
      done = await execute(plan);
    }
    if (done.observed) this.device.rates.set(rateKey(this.metric, this.train.cols, mixing), done.rate);
    return explainKnn(done, {
      refinedPairs,
      peakDeviceBytes: this.device.counters.peakBytes,
      ms: performance.now() - start,
      note: this.device.note,
      stages: this.device.takeStages(),
    });
  }

  /** Frees the rows on the device once running searches have ended; not the device. */
  dispose(): void {
    this.#distinct?.index.dispose();
    this.#executor.dispose();
  }

  /**
   * Queries in our form, checked against the training rows.
   * @throws InvalidInputError for queries that cannot be compared with them
   */
  async queryMatrix(queries: MatrixLike, signal?: AbortSignal): Promise<Matrix> {
    return runYielding(queriesFor(this.#options, this.train, queries), signal);
  }

  /** The metric as a search of these queries evaluates it: with a rule for missing cells where either side has some. */
  metricFor(queries: Matrix): Metric {
    return resolveMetric(this.#options, this.#fittedFor(queries));
  }

  #fittedFor({ gaps }: Matrix): Fitted {
    return { ...this.#fitted, gaps: this.train.gaps === true || gaps === true };
  }

  /** What rows with codes or gaps need, where train or the queries have some. */
  async #mixing(queries: Matrix): Promise<Mixing | undefined> {
    if (!isMixed(this.#options, this.#fittedFor(queries))) return undefined;
    const mixing = await import("./mixed.ts");
    if (this.device.info.kind === "gpu") await loadMixedKnn();
    return mixing;
  }

  *#trainRange(mixing: Mixing | undefined): Yielding<Range> {
    if (!mixing) return this.#range;
    yield* this.look();
    return (this.#mixedRange ??= yield* findRange(this.train, this.#centre, mixing.mixedRangeOf));
  }

  *#queryRange(queries: Matrix, mixing: Mixing | undefined, asked: Asked | undefined): Yielding<Range> {
    if (!asked || mixing || this.#centre)
      return yield* findRange(queries, this.#centre, mixing?.mixedRangeOf);
    return (asked.range ??= yield* findRange(queries, undefined));
  }

  #problem(queries: Matrix, k: number, ranges: Pick<KnnProblem, "train" | "queries">): KnnProblem {
    return {
      trainRows: this.train.rows,
      queryRows: queries.rows,
      cols: this.train.cols,
      k,
      metric: this.metric.name,
      p: this.metric.p,
      options: this.#options,
      fitted: this.#fittedFor(queries),
      precision: this.#options.precision ?? "float64",
      centre: this.#centre,
      evaluators: this.device.evaluators,
      ...ranges,
    };
  }

  async #plan(problem: KnnProblem, mixing: Mixing | undefined): Promise<KnnPlan> {
    const { tiles } = this.#options;
    const plan = planKnn(
      problem,
      this.device.info,
      tiles,
      this.device.rates.get(rateKey(this.metric, this.train.cols, mixing)),
      mixing,
    );
    const { technique } = plan;
    if (this.device.info.kind !== "cpu") return plan;
    const { chooseSketch, survey, surveyRows } = await import("./plan/survey.ts");
    const rows = surveyRows(problem, technique, this.device.info, tiles?.axes);
    if (!rows || technique.form === "none") return plan;
    const found = this.#survey(survey, rows, technique.train);
    return withSketch(plan, chooseSketch(found, problem, tiles?.axes));
  }

  /** Of the rows as this search prepares them; searches mostly prepare them alike. */
  #survey(
    survey: (rows: Float32Array, stride: number, cols: number) => Survey,
    rows: Uint32Array,
    how: Preparation,
  ): Survey {
    if (this.#surveyed?.exponent === how.exponent) return this.#surveyed.found;
    const stride = strideOf(this.train.cols);
    const sample = new Float32Array(rows.length * stride);
    new PreparedRows(this.train, how).fill("values", rows, new Uint8Array(sample.buffer));
    const found = survey(sample, stride, this.train.cols);
    this.#surveyed = { exponent: how.exponent, found };
    return found;
  }

  /** @returns pairs evaluated in float64 */
  async #finish(
    metric: Metric,
    ties: Ties | undefined,
    { finish }: KnnJob,
    downloads: Downloads,
    queries: Matrix,
    into: Neighbors,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const { rows } = finish;
    const lists = listsOf(finish, downloads);
    if (finish.kind === "refine") {
      const { train, device } = this;
      const all = { options: this.#options, fitted: this.#fittedFor(queries), train, queries, rows, signal };
      const pairs = lists ? undefined : await refineElsewhere(device, metric, all, into);
      return pairs ?? refine(metric, train, queries, rows, lists, into, signal, ties);
    }
    if (lists) {
      const intervals = new Float32Array(downloads.get(finish.lists.intervals) ?? new ArrayBuffer(0));
      collect(metric, rows, { ...lists, intervals }, finish.rankExponent, into);
    }
    return 0;
  }
}

/** Alike for searches that take a device as long per multiply-add. */
export function rateKey({ name }: Metric, cols: number, mixing?: Mixing): string {
  return `${name} ${cols} ${mixing ? "mixed" : ""}`;
}

function sourcesOf(
  plan: KnnPlan,
  train: Matrix,
  queries: Matrix,
  mixing: Mixing | undefined,
  before: Before | undefined,
) {
  const { technique, sketch } = plan;
  if (technique.form === "none") return {};
  return {
    ...(sketch ? { axes: axesSource(sketch) } : {}),
    ...(before ? { bounds: boundsSource(before, queries.rows, technique.rankExponent) } : {}),
    train: preparedRows(train, technique.train, mixing),
    queries: preparedRows(queries, technique.queries, mixing),
  };
}

function preparedRows(matrix: Matrix, how: Preparation, mixing: Mixing | undefined): PreparedRows {
  return new PreparedRows(matrix, how, how.mixed && mixing && new mixing.MixedColumns(how.mixed));
}

/** Whether somebody looked at all rows of train, or the device will. */
function looksOnDevice({ problem, technique }: KnnPlan): boolean {
  return !problem.train.assumed || (technique.form !== "none" && technique.train.on === "device");
}
