/** What it takes to find nearest rows without a filter, by the metric's float64 definition alone, as threads can be given it. */
import type { RowSet } from "./backend.ts";
import type { Matrix } from "./matrix.ts";
import type { Fitted, MetricOptions } from "./metric.ts";

/** Steps of columns below which one thread does all before others have been given it. */
export const FEWEST_SHARED = 2 ** 22;

/** All pairs of some queries and the rows of train. */
export interface AllPairs {
  /** What the metric is made of. */
  readonly options: MetricOptions;
  readonly fitted: Fitted;
  readonly train: Matrix;
  readonly queries: Matrix;
  readonly rows: RowSet;
  readonly k: number;
  /** Queries are the rows of train, and none is a neighbour of itself. */
  readonly withoutSelf: boolean;
  /**
   * Called, in any order, with the rows that may be among the k nearest of the query at that place in `rows`, each once, and what
   * neighbours are ordered by.
   */
  readonly found: (place: number, key: number, row: number) => void;
  readonly signal: AbortSignal | undefined;
}
