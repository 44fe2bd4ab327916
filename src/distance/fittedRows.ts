/**
 * These are training rows fitted to a metric on one device, for whatever is asked about them and queries:
 * k-NN, histograms, clouds. They stay on the device between runs, and a run that rested on an assumption
 * which the device found violated is done again. The questions are not here: each is a program with its plan.
 */
import { runYielding, type Yielding } from "../core/async/yielding.ts";
import { checkMatrix, type Matrix, type MatrixLike } from "../core/matrix.ts";
import type { Targets } from "../runtime/backend.ts";
import type { Sources } from "../runtime/source.ts";
import type { Device } from "../runtime/device.ts";
import { Executor, rising, type ExecuteOptions, type Finish } from "../runtime/execute.ts";

import type { Job, Program } from "../runtime/program.ts";
import { assumedRange, isChecked, widenedRange, type LargestSeen } from "./assumed.ts";
import { checkedRange, fit, type AssumedFit, type Fit } from "./fit.ts";
import { fitPlan, type PairOptions } from "./fitPlan.ts";
import type { Technique } from "./forms/filter.ts";
import { isMixed } from "./forms/forms.ts";
import {
  loadRare,
  metricOf,
  missingPolicyOf,
  queriesFor,
  type Fitted,
  type Metric,
  type RareMeasures,
} from "./metric.ts";
import { pairProblem, type PairProblem } from "./problem.ts";
import type { RowGroups } from "./rows/distinct.ts";
import type { RowPreparation } from "./rows/preparation.ts";
import { PreparedRows } from "./rows/prepare.ts";
import { findRange, rangeOf, type Range } from "./rows/range.ts";

/** It is the module forms/mixed.ts, which is loaded for rows that need it. */
export type Mixing = typeof import("./forms/mixed.ts");

/** Every plan over pairs of rows has this part, whatever is asked. */
export interface PairPlan {
  readonly problem: PairProblem;
  readonly technique: Technique;
  /** The device saw what must not be by the plan's assumption: what was found does not count. */
  readonly violated?: LargestSeen;
}

/** This is a question about the rows and some queries. */
export interface PairCall<Plan extends PairPlan, J extends Job> {
  readonly queries: Matrix;
  readonly program: Program<Plan, J>;
  /** Makes a plan; another one, up to twice, where an assumption was violated or no device can check it. */
  plan(problem: PairProblem, mixing: Mixing | undefined): Plan | Promise<Plan>;
  /**
   * Begins to execute a plan: what is uploaded beside the rows of both sides, or in their place, the memory
   * that downloads may go to, and the host's part of each job.
   */
  begin(
    plan: Plan,
    sides: Sources,
  ): {
    readonly sources: Sources;
    readonly targets?: Targets | undefined;
    readonly finish: Finish<J>;
  };
}

/**
 * Such queries are asked about several times, and their range around no centre need not be found each time.
 */
export interface KnownQueries {
  range?: Range;
}

export class FittedRows<Options extends PairOptions = PairOptions> {
  readonly device: Device;
  /** These training rows may have values that were not looked at yet; see `check`. */
  readonly train: Matrix;
  readonly metric: Metric;
  readonly options: Options;
  /** It has one of each of the rows that repeat, where many do. */
  readonly distinct: { readonly groups: RowGroups; readonly rows: FittedRows<Options> } | undefined;
  /** Whoever plans searches of these rows keeps plans here, by all that they depend on beside the rows. */
  readonly plans = new Map<string, PairPlan>();
  /** So many searches of few queries gave up what they began by, or ran out of memory. */
  failures = 0;
  readonly #metrics: Partial<Record<"plain" | "gaps", Metric>> = {};
  readonly #fitted: Fitted;
  /** The measures that few searches ask for are loaded where `options` have one of them. */
  readonly #rare: RareMeasures | undefined;
  readonly #centre: Float64Array | undefined;
  readonly #executor: Executor;
  readonly #rangeOf: typeof rangeOf;
  /** It is the range, which is assumed while the device is to look at the values. */
  #range: Range;
  /** It is the range for runs over rows with codes or gaps, which no device looks at. */
  #mixedRange: Range | undefined;

  /**
   * @param train [rows, cols], kept by reference
   * @param like what is assumed of rows that these are like
   * @throws InvalidInputError for a matrix or options that cannot be used
   */
  static async create<Options extends PairOptions>(
    device: Device,
    train: MatrixLike,
    options: Options,
    signal?: AbortSignal,
    like?: AssumedFit,
  ): Promise<FittedRows<Options>> {
    const rare = await loadRare(options);
    const { workers } = device.backend;
    const of = workers ? await (await import("./rows/look.ts")).rangeFinder(workers, train) : rangeOf;
    const work = fit(device.info, train, options, rare, { like, of });
    return new FittedRows(device, await runYielding(work, signal), options, rare, of);
  }

  private constructor(
    device: Device,
    found: Fit,
    options: Options,
    rare: RareMeasures | undefined,
    of: typeof rangeOf,
  ) {
    this.device = device;
    this.train = found.train;
    this.metric = metricOf(options, found.fitted, rare);
    this.options = options;
    this.#rare = rare;
    this.#fitted = found.fitted;
    this.#centre = found.centre;
    this.#range = found.range;
    this.#executor = new Executor(device);
    this.#rangeOf = of;
    const { distinct } = found;
    this.distinct = distinct && {
      groups: distinct.groups,
      rows: new FittedRows(device, distinct.fit, options, rare, of),
    };
  }

  /** Returns what `create` may assume of rows that are probably like these, where nothing has violated it. */
  get assumed(): AssumedFit | undefined {
    if (!this.#range.assumed || this.#range.seen || this.distinct) return undefined;
    return {
      type: this.train.data.constructor,
      fitted: this.#fitted,
      centre: this.#centre,
      range: this.#range,
    };
  }

  /**
   * Looks at all values of train, unless somebody did.
   * @throws InvalidInputError for one that is not finite
   */
  *check(): Yielding<void> {
    if (this.#range.assumed)
      this.#range = yield* checkedRange(this.train, this.#centre, this.options, this.#rangeOf);
  }

  /**
   * Returns queries in our form, checked against the training rows.
   * @throws InvalidInputError for queries that cannot be compared with them
   */
  async queryMatrix(queries: MatrixLike, signal?: AbortSignal): Promise<Matrix> {
    const assumes = (shaped: Matrix) => this.#assumes(shaped);
    const work = queriesFor(this.options, this.train, queries, this.#rare, assumes);
    return runYielding(work, signal);
  }

  /**
   * Returns the metric as a run over these queries evaluates it: with a rule for missing cells where either
   * side has some.
   */
  metricFor(queries: Matrix): Metric {
    const fitted = this.fittedFor(queries);
    return (this.#metrics[fitted.gaps ? "gaps" : "plain"] ??= metricOf(this.options, fitted, this.#rare));
  }

  /** Returns what the metric knows of train, with the gaps of the queries too. */
  fittedFor({ gaps }: Matrix): Fitted {
    return { ...this.#fitted, gaps: this.train.gaps === true || gaps === true };
  }

  /** Runs a call. @returns the plan as executed, which nothing violated */
  async run<Plan extends PairPlan, J extends Job>(
    call: PairCall<Plan, J>,
    { signal, onProgress }: ExecuteOptions,
    known?: KnownQueries,
  ): Promise<Plan> {
    const { queries } = call;
    const { train, options } = this;
    const report = rising(onProgress);
    const mixing = await this.#mixing(queries);
    let queryRange = await runYielding(this.#queryRange(queries, mixing, known), signal);
    const attempt = async () => {
      const trainRange = await runYielding(this.#trainRange(mixing), signal);
      const plan = await call.plan(this.problemOf(queries, trainRange, queryRange), mixing);
      if (!isChecked(plan.problem, plan.technique)) return undefined;
      const sides = rowSources(plan.technique, train, queries, mixing);
      const { sources, finish, targets } = call.begin(plan, sides);
      const all = { ...sides, ...sources };
      return this.#executor.execute(call.program, plan, all, finish, { signal, onProgress: report, targets });
    };
    let done = await attempt();
    if (done?.violated) {
      // To upload rows again takes a fraction of the time of a look at all of them.
      const [ofTrain, ofQueries] = done.violated;
      this.#range = widenedRange(this.#range, ofTrain);
      queryRange = widenedRange(queryRange, ofQueries);
      done = await attempt();
    }
    if (done && !done.violated) return done;
    await runYielding(this.check(), signal);
    if (queryRange.assumed)
      queryRange = await runYielding(
        checkedRange(queries, this.#centre, options, this.#rangeOf, "queries"),
        signal,
      );
    // Nothing is assumed now, so that nothing is left to check.
    return (await attempt())!;
  }

  /** Returns the problem of these queries, whose range is that of train by default. */
  problemOf(queries: Matrix, range = this.#range, queryRange = range): PairProblem {
    const { train, metric, options } = this;
    const { precision = "float64" } = options;
    const known = { options, fitted: this.fittedFor(queries), precision, centre: this.#centre };
    return pairProblem(train, queries, metric, { ...known, train: range, queries: queryRange });
  }

  /** Frees the rows on the device once what runs has ended, but not the device. */
  dispose(): void {
    this.distinct?.rows.dispose();
    this.#executor.dispose();
  }

  /** Loads what rows with codes or gaps need, where train or the queries have some. */
  async #mixing(queries: Matrix): Promise<Mixing | undefined> {
    if (!isMixed(this.options, this.fittedFor(queries))) return undefined;
    const mixing = await import("./forms/mixed.ts");
    return mixing;
  }

  *#trainRange(mixing: Mixing | undefined): Yielding<Range> {
    if (!mixing) return this.#range;
    yield* this.check();
    return (this.#mixedRange ??= yield* findRange(this.train, this.#centre, mixing.mixedRangeOf));
  }

  /** Tells whether a device looks at the values of queries while it prepares them, and nobody else does. */
  #assumes(queries: Matrix): boolean {
    const { device, options } = this;
    const assumeFrom = options.tiles?.assumeQueriesFrom;
    if (assumeFrom === undefined) return false;
    const shape = { ...queries, float32: queries.data instanceof Float32Array };
    return fitPlan(device.info.kind, shape, { ...options, tiles: { assumeFrom } }).assumes;
  }

  *#queryRange(
    queries: Matrix,
    mixing: Mixing | undefined,
    known: KnownQueries | undefined,
  ): Yielding<Range> {
    if (this.#assumes(queries)) {
      const assumed = mixing ? undefined : assumedRange(queries, this.#centre);
      if (assumed) return assumed;
      yield* checkMatrix(queries, "queries", missingPolicyOf(this.options));
    }
    if (!known || mixing || this.#centre)
      return yield* findRange(queries, this.#centre, mixing?.mixedRangeOf ?? this.#rangeOf);
    return (known.range ??= yield* findRange(queries, undefined));
  }
}

function rowSources(
  technique: Technique,
  train: Matrix,
  queries: Matrix,
  mixing: Mixing | undefined,
): Sources {
  if (technique.form === "none") return {};
  return {
    train: preparedRows(train, technique.train, mixing),
    queries: preparedRows(queries, technique.queries, mixing),
  };
}

function preparedRows(matrix: Matrix, how: RowPreparation, mixing: Mixing | undefined): PreparedRows {
  return new PreparedRows(matrix, how, how.mixed && mixing && new mixing.MixedColumns(how.mixed));
}
