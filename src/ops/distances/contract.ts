/**
 * A task evaluates a block of pairs in float64, finds the ranges of their distances and counts them by bins.
 * How it does so is said in cpu.ts, which blocks there are in exact.ts.
 */
import type { Matrix } from "../../core/matrix.ts";
import type { Fitted, MetricOptions } from "../../distance/metric.ts";
import { task } from "../../runtime/cpu/task.ts";
import type { Bins } from "./counting.ts";

/** A block has all pairs of these rows, which are compared by these options. */
export interface BlockRows {
  readonly options: MetricOptions;
  readonly fitted: Fitted;
  readonly train: Matrix;
  readonly queries: Matrix;
}

export interface DistancesTask {
  readonly queries: number;
  /** A task evaluates the distances of rows, or is given those that an earlier task has kept. */
  readonly of: BlockRows | Float64Array;
  /**
   * Each query leaves out the row at this place of the block, since it is that row itself; -1 leaves out
   * none.
   */
  readonly selves: Int32Array | undefined;
  /**
   * Distances are counted by these bins, if there are any. A number asks for that many equal bins between
   * each query's least and largest distance, which needs a block with all rows.
   */
  readonly bins: Bins | number | undefined;
  /** True makes the task return its distances, for a later one to count. */
  readonly keeps: boolean;
}

export interface DistancesResult {
  /** Each query has its least and its largest finite distance, [queries][2]; NaN where there is none. */
  readonly ranges: Float64Array;
  /** They are the counts, row-major [queries][bins]. */
  readonly counts?: Uint32Array | undefined;
  /** Each query has its numbers below, above and NaN, [queries][OUTSIDE]. */
  readonly outside?: Uint32Array | undefined;
  /** Distances lie as [queries][rows]. */
  readonly distances?: Float64Array | undefined;
  /**
   * This many distances were evaluated in float64, by default all, and this many settled in float32, by
   * default none.
   */
  readonly evaluated?: number | undefined;
  readonly settled?: number | undefined;
  /** Each step took this many milliseconds. */
  readonly times: Readonly<Record<TaskStep, number>>;
}

/** A task copies rows in and puts them in order, evaluates distances, finds ranges, and counts. */
export const steps = ["pack", "evaluate", "range", "count"] as const;
export type TaskStep = (typeof steps)[number];

/** A query has this many numbers for distances that are in no bin: below, above, NaN. */
export const OUTSIDE = 3;

export const distancesTask = task<DistancesTask, DistancesResult>("distances");
