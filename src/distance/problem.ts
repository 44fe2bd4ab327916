/** What is asked, as plain data: the k-NN problem a plan is made for. Not how it is solved (technique.ts, tile.ts). */
import type { Range } from "./rows/prepare.ts";
import type { Fitted, MetricName, MetricOptions } from "./metric.ts";

/**
 * "float64": certified exact, the default. "float32": distances are taken as the device computes them.
 * @example
 * const refinedWith = async (precision: Precision) =>
 *   (await kneighbors([[0.1], [2]], [[0]], { k: 1, precision })).explanation.refinedPairs;
 * (await refinedWith("float64")) > 0; // => true
 * await refinedWith("float32"); // => 0
 */
export type Precision = "float64" | "float32";

export interface KnnProblem {
  readonly trainRows: number;
  readonly queryRows: number;
  readonly cols: number;
  readonly k: number;
  readonly metric: MetricName;
  /** As resolved by the metric: 1, 2, Infinity or minkowski's exponent. */
  readonly p: number;
  readonly options: MetricOptions;
  /** With the gaps of the queries too. */
  readonly fitted: Fitted;
  readonly precision: Precision;
  /** Lists keep all that was ever among the k nearest so far (`KnnFilterParams.history`); default false. */
  readonly history?: boolean | undefined;
  /** Of train only neighbours are wanted that are nearer than the source "bounds" says; default false. */
  readonly bounded?: boolean | undefined;
  /** Column means of train where the chosen form wants them (see `wantsCentre`). */
  readonly centre: Float64Array | undefined;
  readonly train: Range;
  readonly queries: Range;
  /** Threads of the host that evaluate all pairs of a query; default one, the main thread. */
  readonly evaluators?: number | undefined;
}
