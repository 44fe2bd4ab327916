/**
 * This is the task of finding nearest rows by float64 alone in one block of train, for some queries. It does
 * not say how it is done (task.ts).
 */
import type { Matrix } from "../../core/matrix.ts";
import { task } from "../../runtime/cpu/task.ts";
import type { Fitted, MetricOptions } from "../metric.ts";

export interface NearestTask {
  /** The metric is made of these options. */
  readonly options: MetricOptions;
  readonly fitted: Fitted;
  readonly train: Matrix;
  /** Its first row has this number. */
  readonly firstRow: number;
  readonly queries: Matrix;
  /** Each query has here the number of the row that is not its neighbour; undefined where all may be. */
  readonly selves: Uint32Array | undefined;
  readonly k: number;
}

/**
 * They are row-major [queries][k], first neighbour first; where a block has too few rows, the rest holds
 * index NO_ROW.
 */
export interface Nearest {
  /** Neighbours are ordered by these keys. */
  readonly keys: Float64Array;
  readonly indices: Uint32Array;
}

export const nearest = task<NearestTask, Nearest>("distance.nearest");
