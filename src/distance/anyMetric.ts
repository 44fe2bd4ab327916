/**
 * This module gives any metric at once, for workers and others that load all measures from the start. What
 * pages search with loads the rare ones when it needs them (measures/fit.ts).
 */
import { rareMetric } from "./measures/rare/metric.ts";
import { metricOf, type Fitted, type Metric, type MetricOptions } from "./metric.ts";

/**
 * Returns the metric of some options, as `metricOf` does.
 * @param fitted facts of the data the metric is for; without it, a metric of numbers without gaps
 * @throws InvalidInputError for an unknown name, or options that are out of range or not the metric's
 */
export function resolveMetric(options: MetricOptions = {}, fitted: Fitted = {}): Metric {
  return metricOf(options, fitted, { rareMetric });
}
