/**
 * This is the task of evaluating a block of pairs in float64, of finding the ranges of their distances and of
 * counting them by bins. It does not say how it is done (cpu.ts), nor which blocks there are (exact.ts).
 */
import type { Matrix } from "../../core/matrix.ts";
import type { Fitted, MetricOptions } from "../../distance/metric.ts";
import { task } from "../../runtime/cpu/task.ts";
import type { Bins } from "./counting.ts";

/** The rows of a block of pairs, and how they are compared. */
export interface BlockRows {
  readonly options: MetricOptions;
  readonly fitted: Fitted;
  readonly train: Matrix;
  readonly queries: Matrix;
}

export interface DistancesTask {
  readonly queries: number;
  /** The rows whose distances are evaluated, or the distances that an earlier task has left. */
  readonly of: BlockRows | Float64Array;
  /** The place in the block of the row, for each query, that does not count; -1 for none. */
  readonly selves: Int32Array | undefined;
  /**
   * Counts by these bins, if there are any; a number stands for so many equal ones between each query's least
   * and largest distance, where the block has all rows.
   */
  readonly bins: Bins | number | undefined;
  /** The distances are left for another task. */
  readonly keeps: boolean;
}

export interface DistancesResult {
  /** The least and the largest finite distance of each query, [queries][2]; NaN where there is none. */
  readonly ranges: Float64Array;
  /** [queries][bins] */
  readonly counts?: Uint32Array | undefined;
  /** Below, above and NaN, [queries][OUTSIDE]. */
  readonly outside?: Uint32Array | undefined;
  /** [queries][rows] */
  readonly distances?: Float64Array | undefined;
  /** The distances that were evaluated in float64, and those that float32 settled; default all, and none. */
  readonly evaluated?: number | undefined;
  readonly settled?: number | undefined;
  /** Milliseconds by step. */
  readonly times: Readonly<Record<Step, number>>;
}

/**
 * The steps of a task: rows are copied in and put in order, distances are evaluated, ranges found, and
 * distances counted.
 */
export const steps = ["pack", "evaluate", "range", "count"] as const;
export type Step = (typeof steps)[number];

/** The numbers of one query that are in no bin: below, above, NaN. */
export const OUTSIDE = 3;

export const distancesTask = task<DistancesTask, DistancesResult>("distances");
