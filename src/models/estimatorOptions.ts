/**
 * Checks the options that classifier and regressor share, for their constructors and for programs that check
 * before they read.
 */
import { resolveMetric } from "../distance/metric.ts";
import { checkNeighborsOptions } from "./nearestNeighbors.ts";
import type { NeighborsOptions } from "./nearestNeighbors.ts";
import { checkWeightName, checkWeights } from "./weights.ts";
import type { Weights } from "./weights.ts";

export interface EstimatorOptions extends NeighborsOptions {
  readonly weights?: Weights | undefined;
}

/** @throws InvalidInputError for options that are unknown or contradict each other */
export function checkEstimatorOptions(options: EstimatorOptions): void {
  const { weights = "uniform", compat } = options;
  if (compat) checkWeightName(weights);
  else checkWeights(weights, resolveMetric(options));
  checkNeighborsOptions(options);
}
