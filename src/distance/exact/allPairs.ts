/**
 * This is what it takes to find nearest rows without a filter, by the metric's float64 definition alone, as
 * threads can be given it.
 */
import { rowCount, type RowSet } from "../../runtime/source.ts";
import type { Matrix } from "../../core/matrix.ts";
import type { Fitted, MetricOptions } from "../metric.ts";

/** Below so many steps of columns one thread does all before others have been given it. */
export const FEWEST_SHARED = 2 ** 22;

/** The caller may hold so many neighbours at once, of all queries together. */
const MOST_HELD = 2 ** 24;

/** It stands for all pairs of some queries and the rows of train. */
export interface AllPairs {
  /** The metric is made of these options. */
  readonly options: MetricOptions;
  readonly fitted: Fitted;
  readonly train: Matrix;
  readonly queries: Matrix;
  readonly rows: RowSet;
  readonly k: number;
  /** Queries are the rows of train, and none is a neighbour of itself. */
  readonly withoutSelf: boolean;
  /**
   * It is called, in any order, with the rows that may be among the k nearest of the query at that place in
   * `rows`, each once, and what neighbours are ordered by.
   */
  readonly found: (place: number, key: number, row: number) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Tells whether several threads are worth what they cost. Precomputed distances are looked up in queries as
 * wide as train has rows, which are not worth copying.
 * @param fewest steps of columns
 */
export function isShareable(
  { options, train, rows, k }: Pick<AllPairs, "options" | "train" | "rows" | "k">,
  threads: number,
  fewest = FEWEST_SHARED,
): boolean {
  const count = rowCount(rows);
  const isLong = count * train.rows * train.cols >= fewest;
  return threads > 1 && isLong && count * k <= MOST_HELD && options.metric !== "precomputed";
}
