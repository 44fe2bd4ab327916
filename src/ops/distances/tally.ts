/**
 * A task finds ranges of distances, counts by bins, and counts of distances in no bin. Who evaluates the
 * distances is not said here.
 */
import { OutOfMemoryError } from "../../core/errors.ts";
import { OUTSIDE, type DistancesResult, type DistancesTask, type TaskStep } from "./contract.ts";
import { binCount, binsOfQuery, type QueryBins } from "./counting.ts";

export class DistanceTally {
  /** Each query has its least and its largest finite distance, [queries][2]; NaN where there is none. */
  readonly ranges: Float64Array;
  readonly #bins: DistancesTask["bins"];
  readonly #width: number;
  readonly #counts: Uint32Array;
  readonly #outside: Uint32Array;
  readonly #times = { pack: 0, evaluate: 0, range: 0, count: 0 };
  #since = performance.now();

  constructor({ queries, bins }: Pick<DistancesTask, "queries" | "bins">) {
    this.#bins = bins;
    this.#width = bins === undefined ? 0 : typeof bins === "number" ? bins : binCount(bins);
    this.ranges = memoryFor(queries * 2).fill(NaN);
    this.#counts = new Uint32Array(queries * this.#width);
    this.#outside = new Uint32Array(bins === undefined ? 0 : queries * OUTSIDE);
  }

  /** Puts the time since the last call down to a step. */
  lap(step: TaskStep): void {
    const now = performance.now();
    this.#times[step] += now - this.#since;
    this.#since = now;
  }

  /** Returns the bins of a query, whose range must be known by now; undefined where nothing is counted. */
  binsOf(query: number): QueryBins | undefined {
    const bins = this.#bins;
    if (bins === undefined) return undefined;
    if (typeof bins !== "number") return binsOfQuery(bins, query);
    return { bins, min: this.ranges[2 * query], max: this.ranges[2 * query + 1] };
  }

  /** Returns the counts of a query, [bins]. */
  countsOf(query: number): Uint32Array {
    return this.#counts.subarray(query * this.#width, (query + 1) * this.#width);
  }

  /** Returns the numbers of a query that are in no bin, [OUTSIDE]. */
  outsideOf(query: number): Uint32Array {
    return this.#outside.subarray(query * OUTSIDE, (query + 1) * OUTSIDE);
  }

  /**
   * Returns what was found.
   * @param distances are left for another task
   */
  result(distances: Float64Array | undefined): DistancesResult {
    const found = { ranges: this.ranges, distances, times: this.#times };
    return this.#bins === undefined ? found : { ...found, counts: this.#counts, outside: this.#outside };
  }
}

/** Widens the range at `at` so that it holds two more numbers; NaN stands for none. */
export function mergeRange(ranges: Float64Array, at: number, min: number, max: number): void {
  if (!(ranges[at] <= min)) ranges[at] = Number.isNaN(min) ? ranges[at] : min;
  if (!(ranges[at + 1] >= max)) ranges[at + 1] = Number.isNaN(max) ? ranges[at + 1] : max;
}

/**
 * Returns memory for numbers.
 * @throws OutOfMemoryError where so many numbers cannot be had
 */
export function memoryFor(numbers: number): Float64Array {
  try {
    return new Float64Array(numbers);
  } catch (cause) {
    const bytes = numbers * 8;
    throw new OutOfMemoryError(
      `${bytes} bytes for the distances of some rows cannot be allocated`,
      bytes,
      cause,
    );
  }
}
