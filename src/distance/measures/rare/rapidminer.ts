/**
 * These are RapidMiner's 29 k-NN measures, as RapidMiner Studio 9.10 computes them, each with its own rule
 * for missing values. Only the last steps stand here; the comparisons are in numerical.ts, nominal.ts,
 * divergences.ts, kernelDistance.ts, mahalanobis.ts.
 */
import { assert } from "../../../core/errors.ts";
import type { Fitted, Metric } from "../contract.ts";
import { divergenceRank } from "./divergences.ts";
import { kernelDefaults, resolveKernel } from "../kernels.ts";
import { mahalanobisRank } from "./mahalanobis.ts";
import type { MetricOptions } from "../metricOptions.ts";
import type { Divergence, MetricName, NumericalMeasure, RapidMinerMeasure } from "../names.ts";
import { nominalRank } from "./nominal.ts";
import { numericalRank } from "./numerical.ts";
import { mixedDifferences } from "../rank.ts";
import type { Rank } from "../rank.ts";
import { plain } from "../textbookMetric.ts";

export function rapidMinerMetric(
  name: MetricName,
  of: RapidMinerMeasure,
  options: MetricOptions,
  { kinds, inverse }: Fitted,
): Metric {
  switch (of.group) {
    case "MixedMeasures":
      return { ...plain, name, rank: mixedDifferences(kinds), distance: Math.sqrt };
    case "NominalMeasures":
      return {
        ...plain,
        name,
        signed: of.measure !== "NominalDistance",
        rank: nominalRank(of.measure, kinds ?? []),
      };
    case "NumericalMeasures":
      return {
        ...plain,
        name,
        signed: isSigned(of.measure, options),
        rank: numericalRank(of.measure, resolveKernel(options.kernel)),
        distance: of.measure === "EuclideanDistance" ? Math.sqrt : plain.distance,
      };
    case "BregmanDivergences":
      return {
        ...plain,
        name,
        signed: signedDivergences.includes(of.measure),
        rank: of.measure === "MahalanobisDistance" ? mahalanobis(inverse) : divergenceRank(of.measure),
        distance: of.measure === "MahalanobisDistance" ? Math.sqrt : plain.distance,
      };
  }
}

function mahalanobis(inverse: Float64Array | undefined): Rank {
  if (inverse) return mahalanobisRank(inverse);
  return () => {
    assert(false, "Mahalanobis needs the covariance of train");
    return NaN;
  };
}

/**
 * These divergences may be below 0. Some of these are never below 0 in theory, but may be in the last bits.
 */
const signedDivergences: readonly Divergence[] = [
  "GeneralizedIDivergence",
  "ItakuraSaitoDistance",
  "KLDivergence",
  "LogarithmicLoss",
  "LogisticLoss",
];

const unsigned: readonly NumericalMeasure[] = [
  "EuclideanDistance",
  "CamberraDistance",
  "ChebychevDistance",
  "CosineSimilarity",
  "DynamicTimeWarpingDistance",
  "ManhattanDistance",
];

function isSigned(measure: NumericalMeasure, { kernel }: MetricOptions): boolean {
  if (measure !== "KernelEuclideanDistance") return !unsigned.includes(measure);
  const type = kernel?.type ?? kernelDefaults.type;
  return type !== "radial" && type !== "epanechnikov";
}
