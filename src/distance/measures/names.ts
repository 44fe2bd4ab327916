/**
 * These are the names of all measures and the columns each takes. The textbook ones are scikit-learn's;
 * RapidMiner's are spelled as its process files store them, oddities included, behind the prefix
 * `rapidminer:`, because some differ from the textbook measure of nearly the same name.
 */

/** These measures are sums, maxima and angles of numbers, for which most searches ask. */
const usual = [
  "euclidean",
  "sqeuclidean",
  "manhattan",
  "chebyshev",
  "minkowski",
  "cosine",
  "correlation",
  "inner_product",
  "nan_euclidean",
  "mixed_euclidean",
] as const;

/** These and RapidMiner's measures are loaded where they are asked for: see rare/. */
const rareTextbook = [
  "hamming",
  "canberra",
  "braycurtis",
  "jaccard",
  "dice",
  "haversine",
  "precomputed",
] as const;

export const mixedMeasures = ["MixedEuclideanDistance"] as const;

export const nominalMeasures = [
  "NominalDistance",
  "DiceSimilarity",
  "JaccardSimilarity",
  "KulczynskiSimilarity",
  "RogersTanimotoSimilarity",
  "RussellRaoSimilarity",
  "SimpleMatchingSimilarity",
] as const;

export const numericalMeasures = [
  "EuclideanDistance",
  "CamberraDistance",
  "ChebychevDistance",
  "CorrelationSimilarity",
  "CosineSimilarity",
  "DiceSimilarity",
  "DynamicTimeWarpingDistance",
  "InnerProductSimilarity",
  "JaccardSimilarity",
  "KernelEuclideanDistance",
  "ManhattanDistance",
  "MaxProductSimilarity",
  "OverlapSimilarity",
] as const;

export const divergences = [
  "GeneralizedIDivergence",
  "ItakuraSaitoDistance",
  "KLDivergence",
  "LogarithmicLoss",
  "LogisticLoss",
  "MahalanobisDistance",
  "SquaredEuclideanDistance",
  "SquaredLoss",
] as const;

export type UsualName = (typeof usual)[number];
export type RareTextbookName = (typeof rareTextbook)[number];
export type MixedMeasure = (typeof mixedMeasures)[number];
export type NominalMeasure = (typeof nominalMeasures)[number];
export type NumericalMeasure = (typeof numericalMeasures)[number];
export type Divergence = (typeof divergences)[number];
type RapidMinerName = MixedMeasure | NominalMeasure | NumericalMeasure | Divergence;

/**
 * A metric has one of the names in `metricNames`.
 * @example
 * const nearest = async (metric: MetricName) =>
 *   (await kneighbors([[10, 0], [1, 1]], [[3, 0]], { k: 1, metric })).indices;
 * await nearest("euclidean"); // => [1]
 * await nearest("cosine"); // => [0]
 */
export type MetricName = UsualName | RareName;

export type RareName = RareTextbookName | `rapidminer:${RapidMinerName}`;

const PREFIX = "rapidminer:";

/**
 * All metrics have these names. DiceSimilarity and JaccardSimilarity name two measures each, one for numeric
 * and one for nominal columns.
 * @example
 * metricNames.includes("cosine"); // => true
 * metricNames.includes("rapidminer:CamberraDistance"); // => true
 */
export const metricNames: readonly MetricName[] = [
  ...usual,
  ...rareTextbook,
  ...new Set(
    [...mixedMeasures, ...nominalMeasures, ...numericalMeasures, ...divergences].map(
      (name): MetricName => `${PREFIX}${name}`,
    ),
  ),
];

export function isTextbook(name: MetricName): name is UsualName | RareTextbookName {
  return !name.startsWith(PREFIX);
}

export function isUsual(name: MetricName): name is UsualName {
  return isOneOf(usual, name);
}

/** One of RapidMiner's measures with the value of `measure_types` it stands under. */
export type RapidMinerMeasure =
  | { readonly group: "MixedMeasures"; readonly measure: MixedMeasure }
  | { readonly group: "NominalMeasures"; readonly measure: NominalMeasure }
  | { readonly group: "NumericalMeasures"; readonly measure: NumericalMeasure }
  | { readonly group: "BregmanDivergences"; readonly measure: Divergence };

/**
 * Returns the measure that a name stands for.
 * @param nominal whether the columns are, for the two names that stand in two groups
 */
export function rapidMinerMeasure(name: `rapidminer:${RapidMinerName}`, nominal: boolean): RapidMinerMeasure {
  const measure = name.slice(PREFIX.length) as RapidMinerName;
  if (nominal && isOneOf(nominalMeasures, measure)) return { group: "NominalMeasures", measure };
  if (isOneOf(numericalMeasures, measure)) return { group: "NumericalMeasures", measure };
  if (isOneOf(nominalMeasures, measure)) return { group: "NominalMeasures", measure };
  if (isOneOf(divergences, measure)) return { group: "BregmanDivergences", measure };
  return { group: "MixedMeasures", measure };
}

/**
 * Tells which columns a metric takes: numeric ones, nominal ones, either but not both at once, or any
 * mixture.
 */
export function columnsTaken(name: MetricName): "numeric" | "nominal" | "either" | "any" {
  if (isTextbook(name)) return name === "mixed_euclidean" || name === "hamming" ? "any" : "numeric";
  const measure = name.slice(PREFIX.length);
  if (isOneOf(mixedMeasures, measure)) return "any";
  if (!isOneOf(nominalMeasures, measure)) return "numeric";
  return isOneOf(numericalMeasures, measure) ? "either" : "nominal";
}

function isOneOf<T extends string>(names: readonly T[], name: string): name is T {
  return (names as readonly string[]).includes(name);
}
