/**
 * This module has the measures that fuzzed cases compare rows by, with options of their own. Left out are
 * haversine and Mahalanobis, which the oracle knows only up to rounding (../measures.test.ts), and
 * precomputed distances, which compare nothing.
 */
import type { KernelOptions, MetricName, MetricOptions } from "../../../dist/node.js";
import { ownKernel } from "../../oracle/measures.ts";
import type { Kind } from "../../oracle/measures.ts";
import type { Random } from "../../oracle/random.ts";

const weighted: readonly MetricName[] = [
  "euclidean",
  "sqeuclidean",
  "manhattan",
  "minkowski",
  "nan_euclidean",
  "mixed_euclidean",
  "hamming",
];

const classic: readonly MetricName[] = [
  "euclidean",
  "euclidean",
  "sqeuclidean",
  "manhattan",
  "chebyshev",
  "minkowski",
  "cosine",
  "correlation",
  "inner_product",
];

const ofNumbers: readonly MetricName[] = [
  "nan_euclidean",
  "mixed_euclidean",
  "hamming",
  "canberra",
  "braycurtis",
  "jaccard",
  "dice",
  "rapidminer:MixedEuclideanDistance",
  "rapidminer:EuclideanDistance",
  "rapidminer:CamberraDistance",
  "rapidminer:ChebychevDistance",
  "rapidminer:CorrelationSimilarity",
  // The oracle's Math.acos has other last bits in Deno.
  ...("Deno" in globalThis ? [] : (["rapidminer:CosineSimilarity"] as const)),
  "rapidminer:DiceSimilarity",
  "rapidminer:DynamicTimeWarpingDistance",
  "rapidminer:InnerProductSimilarity",
  "rapidminer:JaccardSimilarity",
  "rapidminer:KernelEuclideanDistance",
  "rapidminer:KernelEuclideanDistance",
  "rapidminer:ManhattanDistance",
  "rapidminer:MaxProductSimilarity",
  "rapidminer:OverlapSimilarity",
  "rapidminer:SquaredEuclideanDistance",
];

/** The measures of rows of shares. */
const ofShares: readonly MetricName[] = ["rapidminer:GeneralizedIDivergence", "rapidminer:KLDivergence"];
const ofOneShare: readonly MetricName[] = [
  "rapidminer:ItakuraSaitoDistance",
  "rapidminer:LogarithmicLoss",
  "rapidminer:LogisticLoss",
  "rapidminer:SquaredLoss",
];

const ofNominal: readonly MetricName[] = [
  "mixed_euclidean",
  "hamming",
  "rapidminer:MixedEuclideanDistance",
  "rapidminer:NominalDistance",
  "rapidminer:DiceSimilarity",
  "rapidminer:JaccardSimilarity",
  "rapidminer:KulczynskiSimilarity",
  "rapidminer:RogersTanimotoSimilarity",
  "rapidminer:RussellRaoSimilarity",
  "rapidminer:SimpleMatchingSimilarity",
];

const ofBoth: readonly MetricName[] = ["mixed_euclidean", "hamming", "rapidminer:MixedEuclideanDistance"];

/** Says whether distances by a measure are at least 0, as weights by distance need them. */
export function isNeverNegative(metric: MetricName | undefined): boolean {
  return metric === undefined || (!metric.startsWith("rapidminer:") && metric !== "inner_product");
}

export const measureNames: readonly MetricName[] = [
  ...new Set([...classic, ...ofNumbers, ...ofShares, ...ofOneShare, ...ofNominal]),
];

interface Wanted {
  /** Rows are of numbers between 0 and 1. */
  readonly onlyShares: boolean;
  /** Rows have gaps that a policy must be given for. */
  readonly needsPolicy: boolean;
  /** The only measures to take, where some of them take such rows; default all. */
  readonly among: readonly string[] | undefined;
}

export function measureOf(random: Random, kinds: readonly Kind[], wanted: Wanted): MetricOptions {
  const metric = nameOf(random, kinds, wanted);
  const p = metric === "minkowski" ? random.pick([0.5, 1, 1.5, 2, 3, 7.3, Infinity]) : undefined;
  const canWeigh = metric === undefined || (weighted.includes(metric) && p !== Infinity);
  const options: { -readonly [K in keyof MetricOptions]: MetricOptions[K] } = {};
  if (metric !== undefined) options.metric = metric;
  if (p !== undefined) options.p = p;
  if (metric === "rapidminer:KernelEuclideanDistance" && random.uniform() < 0.9)
    options.kernel = kernelOf(random);
  if (canWeigh && random.uniform() < 0.2) options.columnWeights = weightsOf(random, kinds.length);
  if (wanted.needsPolicy) {
    const canRescale = canWeigh && metric !== "hamming";
    options.missing = canRescale ? random.pick(["skip", "rescale"]) : "skip";
  }
  return options;
}

function nameOf(
  random: Random,
  kinds: readonly Kind[],
  { onlyShares, among }: Wanted,
): MetricName | undefined {
  const numeric = kinds.filter((kind) => kind === "numeric").length;
  const pick = (names: readonly MetricName[]) => {
    const few = among && names.filter((name) => among.includes(name));
    return random.pick(few && few.length > 0 ? few : names);
  };
  if (onlyShares) return pick(kinds.length === 1 ? [...ofShares, ...ofOneShare] : ofShares);
  if (random.uniform() < 0.08) return undefined;
  if (numeric === kinds.length) return pick(random.uniform() < 0.6 ? classic : ofNumbers);
  return pick(numeric === 0 ? ofNominal : ofBoth);
}

function kernelOf(random: Random): KernelOptions {
  return ownKernel<KernelOptions>({
    type: random.pick([
      "dot",
      "radial",
      "polynomial",
      "sigmoid",
      "anova",
      "epanechnikov",
      "gausian_combination",
      "multiquadric",
    ]),
    gamma: random.pick([0, 0.5, 1, 1e-9]),
    sigma1: random.pick([0.25, 1, 4, 1e6]),
    sigma2: random.pick([0, 1.5]),
    degree: random.pick([0, 1, 2, 2.5, 3]),
    shift: random.pick([0, 1.25, -1]),
    a: random.pick([0.3, 1]),
    b: random.pick([0, 0.1]),
  });
}

function weightsOf(random: Random, cols: number): number[] {
  const any = random.pick([
    () => random.uniform(0, 3),
    () => random.pick([0, 1, 2, 0.5]),
    () => 10 ** random.uniform(-12, 12),
  ]);
  return Array.from({ length: cols }, any);
}
