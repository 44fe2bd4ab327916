/**
 * Compiles the kernels that later searches of an index on a GPU will take, for all numbers of queries, while
 * the index runs none: the largest takes a driver a second. It searches nothing and reports nothing; what
 * does not compile is an error of the search that needs it. The executor compiles ahead for a search that has
 * begun.
 */
import { later } from "../../../core/async/later.ts";
import { isMixed } from "../../../distance/forms/forms.ts";
import type { KnnIndex } from "../knnIndex.ts";
import { nextJob } from "../plan/jobs.ts";
import { FAST_RATE, rateKey } from "../rates.ts";
import { planSearch } from "../run.ts";

/**
 * Each of these numbers of queries has kernels of its own. Those for few come first: by them more begin, too
 * (plan/meanwhile.ts).
 */
const COUNTS = [1, 2, 65, 33, 1024, 129, 16, 32];
/** So many queries may have bytes compared first, whose kernels their measurement compiles. */
const MAY_MEASURE = 128;
/** An index has at least so many values: a small one is hardly kept for many searches. */
const LEAST_VALUES = 2 ** 20;

export class LaterSearches {
  readonly #index: KnnIndex;
  readonly #k: number;
  /** Kernels for these numbers of queries are still to be compiled; undefined where none are. */
  #left: number[] | undefined;
  /** Says whether a search was timed when that list was made. */
  #timed = false;
  #running = 0;
  #compiling = false;
  #callOff: () => void = () => undefined;

  /** @param k later searches have so many neighbours; others hardly ever have other kernels */
  constructor(index: KnnIndex, k: number) {
    const { device, train, rows } = index;
    const { kind, software } = device.info;
    const pays = !software && train.rows * train.cols >= LEAST_VALUES;
    this.#index = index;
    this.#k = k;
    if (kind !== "gpu" || !(rows.options.tiles?.ahead ?? pays)) return;
    this.#left = [...COUNTS];
    this.#whenIdle();
  }

  /** Does a search, during which no compilation begins. */
  async during<T>(search: () => Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await search();
    } finally {
      this.#running--;
      this.#lookAgain();
      this.#whenIdle();
    }
  }

  /** Begins no more. */
  dispose(): void {
    this.#left = undefined;
    this.#callOff();
  }

  /** Begins anew once a search was timed: references are cut otherwise then, and parts take other tiles. */
  #lookAgain(): void {
    const { device, metric, train } = this.#index;
    const rates = (["", "bytes"] as const).map((of) =>
      device.rates.get(rateKey(metric, train.cols, undefined, of)),
    );
    if (this.#timed || !this.#left || !rates.some(Boolean)) return;
    this.#timed = true;
    this.#left = [...COUNTS];
  }

  /** Goes on when nothing else is to be done, for which no process waits. */
  #whenIdle(): void {
    this.#callOff();
    if (this.#left?.length) this.#callOff = later(0, () => void this.#compileNext());
  }

  async #compileNext(): Promise<void> {
    const count = this.#running > 0 || this.#compiling ? undefined : this.#left?.shift();
    if (count === undefined) return;
    this.#compiling = true;
    try {
      await this.#compile(count);
    } catch {
      // The search that needs it fails again, and says so.
    }
    this.#compiling = false;
    this.#whenIdle();
  }

  async #compile(count: number): Promise<void> {
    const { device, rows } = this.#index;
    const fitted = rows.distinct?.rows ?? rows;
    const { train, options } = fitted;
    const queries = { ...train, rows: count, data: train.data.subarray(0, count * train.cols) };
    if (isMixed(options, fitted.fittedFor(queries)) || train.rows < count) return;
    const mayMeasure = count >= MAY_MEASURE;
    if (mayMeasure && train.data.BYTES_PER_ELEMENT === 1) return;
    const tiles = mayMeasure ? { ...options.tiles, bytes: false } : options.tiles;
    const like = fitted.problemOf(queries);
    const k = Math.min(this.#k, train.rows);
    const problem = { ...like, queries: { ...like.queries, assumed: false }, k };
    const plan = await planSearch(fitted, problem, queries, undefined, tiles);
    if (!plan.layout?.resident || plan.tree) return;
    const job = nextJob({ ...plan, observed: true, rate: plan.observed ? plan.rate : FAST_RATE });
    if (job?.segment) await device.backend.compileAhead?.(job.segment, true).done;
  }
}
