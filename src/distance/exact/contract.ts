/** The task of finding nearest rows by float64 alone in one block of train, for some queries. Not what does it (task.ts). */
import type { Matrix } from "../../core/matrix.ts";
import { task } from "../../runtime/cpu/task.ts";
import type { Fitted, MetricOptions } from "../metric.ts";

export interface NearestTask {
  /** What the metric is made of. */
  readonly options: MetricOptions;
  readonly fitted: Fitted;
  readonly train: Matrix;
  /** Row number of its first row. */
  readonly firstRow: number;
  readonly queries: Matrix;
  /** For each query the row number that is not its neighbour; undefined where all may be. */
  readonly selves: Uint32Array | undefined;
  readonly k: number;
}

/** Row-major [queries][k], first neighbour first; what a block has too few rows for holds index NO_ROW. */
export interface Nearest {
  /** What neighbours are ordered by. */
  readonly keys: Float64Array;
  readonly indices: Uint32Array;
}

export const nearest = task<NearestTask, Nearest>("knn.nearest");
