/**
 * Checks the options that classifier and regressor share, for their constructors and for programs that check
 * before they read.
 */
import { resolveMetric } from "../distance/anyMetric.ts";
import { checkOptions, type OptionNames } from "../core/options.ts";
import { checkNeighborsOptions, neighborsNames } from "./nearestNeighbors.ts";
import type { NeighborsOptions } from "./nearestNeighbors.ts";
import { checkWeightName, checkWeights } from "./weights.ts";
import type { Weights } from "./weights.ts";

export interface EstimatorOptions extends NeighborsOptions {
  readonly weights?: Weights | undefined;
}

const names: OptionNames<EstimatorOptions> = { ...neighborsNames, weights: 1 };

/** @throws InvalidInputError for options that are unknown or contradict each other */
export function checkEstimatorOptions(options: EstimatorOptions, estimator: string): void {
  checkOptions(options, estimator, names);
  const { weights = "uniform", compat } = options;
  if (compat) checkWeightName(weights);
  else checkWeights(weights, resolveMetric(options));
  checkNeighborsOptions(options);
}
