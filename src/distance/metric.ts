/**
 * A metric is a distance in float64: the last word on every distance, on every backend. Sums run over the
 * columns in their order, without fused multiply-add. The comparisons themselves are in measures/. The
 * float32 filters are not here: they only decide which rows are evaluated (bound/, forms/).
 */
import { assert } from "../core/errors.ts";
import type { Fitted, Metric } from "./measures/contract.ts";
import type { RareMeasures } from "./measures/fit.ts";
import { checkOptions, metricNameOf } from "./measures/metricOptions.ts";
import type { MetricOptions } from "./measures/metricOptions.ts";
import { isUsual } from "./measures/names.ts";
import { plain, textbookMetric } from "./measures/textbookMetric.ts";

export type { Fitted, Metric } from "./measures/contract.ts";
export { checkColumns, fitMetric, loadRare, queriesFor } from "./measures/fit.ts";
export type { RareMeasures } from "./measures/fit.ts";
export type { KernelOptions, KernelType } from "./measures/kernels.ts";
export {
  checkOptions as checkMetricOptions,
  metricNameOf,
  missingPolicyOf,
} from "./measures/metricOptions.ts";
export type { MetricOptions } from "./measures/metricOptions.ts";
export { columnsTaken, metricNames } from "./measures/names.ts";
export type { MetricName } from "./measures/names.ts";

/**
 * Returns the metric of some options. Options and `fitted` are plain data: a worker makes the same metric
 * from copies of them.
 * @param fitted facts of the data the metric is for
 * @param rare what `loadRare` gives for the options
 * @throws InvalidInputError for an unknown name, or options that are out of range or not the metric's
 */
export function metricOf(
  options: MetricOptions,
  fitted: Fitted,
  rare: Pick<RareMeasures, "rareMetric"> | undefined,
): Metric {
  const name = metricNameOf(options, fitted.kinds);
  checkOptions({ ...options, metric: name });
  if (isUsual(name)) return textbookMetric(name, options, fitted);
  assert(rare, "nobody loaded measures/rare/");
  return rare.rareMetric(name, options, fitted);
}

/**
 * Returns a function from what neighbours are ordered by to a rank from which on they are ordered no sooner;
 * undefined where the last step is another than a square root.
 */
export function rankBound({ ordersByRank, distance }: Metric): ((key: number) => number) | undefined {
  if (ordersByRank || distance === plain.distance) return (key) => key;
  return distance === Math.sqrt ? (root) => root * root * ABOVE : undefined;
}

/** A root and its square lose less than this factor by rounding. */
const ABOVE = 1 + 2 ** -50;
