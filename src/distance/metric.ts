/**
 * A metric is a distance in float64: the last word on every distance, on every backend (contracts, sections 1 to 3). Sums
 * run over the columns in their order, without fused multiply-add. The comparisons themselves are in measures/. Not here:
 * the float32 filters, which only decide which rows are evaluated (bound.ts, prepare.ts).
 */
import type { ColumnKind } from "../core/matrix.ts";
import { checkOptions, metricNameOf } from "./measures/metricOptions.ts";
import type { MetricOptions } from "./measures/metricOptions.ts";
import { isTextbook, rapidMinerMeasure } from "./measures/names.ts";
import type { MetricName } from "./measures/names.ts";
import { rapidMinerMetric } from "./measures/rapidminer.ts";
import type { Rank, RankRows } from "./measures/rank.ts";
import { plain, textbookMetric } from "./measures/textbookMetric.ts";
import type { Whitening } from "./measures/whitening.ts";

export { fitMetric, loadSpreading, queriesFor } from "./measures/fit.ts";
export type { Spreading } from "./measures/fit.ts";
export type { KernelOptions, KernelType } from "./measures/kernels.ts";
export { metricNameOf, missingPolicyOf } from "./measures/metricOptions.ts";
export type { MetricOptions } from "./measures/metricOptions.ts";
export { columnsTaken, metricNames } from "./measures/names.ts";
export type { MetricName } from "./measures/names.ts";

/** What a metric must know of the data, as plain data; `fitMetric` finds it. */
export interface Fitted {
  /** One kind per column; undefined: all numeric. */
  readonly kinds?: readonly ColumnKind[] | undefined;
  /** Inverse of the covariance of train, row-major [cols][cols]; for Mahalanobis. */
  readonly inverse?: Float64Array | undefined;
  /** For a filter of Mahalanobis, where there is one. */
  readonly whitening?: Whitening | undefined;
  /** Some cell of train or of the queries is missing; where none is, the metric without gaps gives the same bits sooner. */
  readonly gaps?: boolean | undefined;
}

/**
 * A distance in three steps: each row is made ready on its own, `rank` compares two ready rows, `distance` turns a
 * rank into the reported distance. Neighbours are ordered by `distance(rank)`, or by `rank` where `ordersByRank`.
 */
export interface Metric {
  readonly name: MetricName;
  readonly p: number;
  /** Distances may be negative. */
  readonly signed: boolean;
  /** Minkowski with an exponent other than 1, 2 and infinity: its root would only blur the order. */
  readonly ordersByRank: boolean;
  /** Changes a float64 row in place; undefined when rows are compared as they are. */
  readonly ready: ((row: Float64Array) => void) | undefined;
  /** The training row is the first argument, the query the second: some measures are not symmetric. */
  readonly rank: Rank;
  /** `rank` of many rows, where it has a faster way; of metrics that compare rows as they are. */
  readonly rankRows?: RankRows | undefined;
  readonly distance: (rank: number) => number;
}

/**
 * The metric of some options. Options and `fitted` are plain data: a worker makes the same metric from copies of them.
 * @param fitted of the data the metric is for; without it, a metric of numbers without gaps
 * @throws InvalidInputError for an unknown name, or options that are out of range or not the metric's
 */
export function resolveMetric(options: MetricOptions = {}, fitted: Fitted = {}): Metric {
  const name = metricNameOf(options, fitted.kinds);
  checkOptions({ ...options, metric: name });
  if (isTextbook(name)) return textbookMetric(name, options, fitted);
  const nominal = fitted.kinds !== undefined && fitted.kinds[0] !== "numeric";
  return rapidMinerMetric(name, rapidMinerMeasure(name, nominal), options, fitted);
}

/**
 * From what neighbours are ordered by to a rank from which on they are ordered no sooner; undefined where the last step is another
 * than a square root.
 */
export function rankBound({ ordersByRank, distance }: Metric): ((key: number) => number) | undefined {
  if (ordersByRank || distance === plain.distance) return (key) => key;
  return distance === Math.sqrt ? (root) => root * root * ABOVE : undefined;
}

/** More than a root and its square lose by rounding. */
const ABOVE = 1 + 2 ** -50;
