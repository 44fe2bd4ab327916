/** This module chooses among the rare measures: RapidMiner's, and some of the textbook. */
import type { Fitted, Metric } from "../contract.ts";
import type { MetricOptions } from "../metricOptions.ts";
import { isTextbook, rapidMinerMeasure, type RareName } from "../names.ts";
import { rapidMinerMetric } from "./rapidminer.ts";
import { rareTextbookMetric } from "./textbook.ts";

export function rareMetric(name: RareName, options: MetricOptions, fitted: Fitted): Metric {
  if (isTextbook(name)) return rareTextbookMetric(name, options, fitted);
  const nominal = fitted.kinds !== undefined && fitted.kinds[0] !== "numeric";
  return rapidMinerMetric(name, rapidMinerMeasure(name, nominal), options, fitted);
}
