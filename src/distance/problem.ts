/**
 * A problem is a question about all pairs of two sets of rows, as plain data: how pairs are compared, and
 * what is known of the rows. Each operator adds what is wanted of the pairs, such as the k nearest.
 */
import type { Fitted, Metric, MetricName, MetricOptions } from "./metric.ts";
import type { Range } from "./rows/range.ts";

/**
 * "float64", the default, gives exact results; "float32" takes distances as the device computes them.
 * @example
 * const refinedWith = async (precision: Precision) =>
 *   (await kneighbors([[0.1], [2]], [[0]], { k: 1, precision })).explanation.refinedPairs;
 * (await refinedWith("float64")) > 0; // => true
 * await refinedWith("float32"); // => 0
 */
export type Precision = "float64" | "float32";

export interface PairProblem {
  readonly trainRows: number;
  readonly queryRows: number;
  readonly cols: number;
  readonly metric: MetricName;
  /** It is the metric's exponent: 1, 2, Infinity or minkowski's. */
  readonly p: number;
  readonly options: MetricOptions;
  /** These are the facts of train, with the gaps of the queries too. */
  readonly fitted: Fitted;
  readonly precision: Precision;
  /** It has the column means of train where the chosen form wants them (see `fitPlan`). */
  readonly centre: Float64Array | undefined;
  readonly train: Range;
  readonly queries: Range;
}

/** Returns the problem of all pairs of these rows. */
export function pairProblem(
  train: { readonly rows: number; readonly cols: number },
  queries: { readonly rows: number },
  { name: metric, p }: Pick<Metric, "name" | "p">,
  known: Omit<PairProblem, "trainRows" | "queryRows" | "cols" | "metric" | "p">,
): PairProblem {
  return { trainRows: train.rows, queryRows: queries.rows, cols: train.cols, metric, p, ...known };
}
